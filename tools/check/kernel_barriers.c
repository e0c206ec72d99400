/* Trireme: do all work-items of a group come to each barrier of the user's kernel?
 *
 * With the setting kernel.barriers the cpu counts them. A branch that only some take leaves the others at
 * another barrier, or at none: that fails. Work-items that have returned are missing too, which Vulkan leaves
 * undefined, though drivers go on without them: a warning.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run says. */
enum answer {
    IS_FINE,
    IS_FOUND,   /* there is a finding */
    IS_UNKNOWN, /* it failed before its end */
};

/* The cpu says "only 40 of the 64 work-items of a group come to a barrier, since …", or what else only some
 * of a group do about one. */
static enum answer judge(const struct kernel_run *run, int32_t status)
{
    const char *sentence = status == TRM_ERROR_KERNEL ? trm_last_error().sentence : "";
    const char *only     = strstr(sentence, "failed: only ");

    if (status == TRM_OK)
        return IS_FINE;
    if (!only || !strstr(only, " work-items of a group "))
        return IS_UNKNOWN; /* what else fails is found elsewhere */
    only = strstr(only, "only ");
    if (strstr(only, " of a group come to a barrier")) {
        report_add(run->report, FINDING_WARNING, "barriers",
                   "Vulkan leaves undefined what happens then. Do not return before a barrier: put a "
                   "condition around the work before and behind it instead.",
                   "%s", only);
        return IS_FOUND;
    }
    report_add(run->report, FINDING_FAILED, "barriers",
               "Let all work-items of a group come to each barrier: put the condition around what is before "
               "and behind it, and not around the barrier.",
               "%s", only);
    snprintf(run->check->shared->skipped, sizeof(run->check->shared->skipped),
             "not all work-items come to its barriers");
    return IS_FOUND;
}

static enum answer examine(struct kernel_run *run, uint32_t size)
{
    const struct kernel_check *it = run->check;
    enum answer answer            = IS_UNKNOWN;
    struct kernel_inputs inputs;

    report_begin(run->report, "running it with work-items counted at barriers: size %u", size + 1);
    kernel_inputs_make(&inputs, &run->info, it, &it->shared->sizes[size]);
    if (inputs.total_bytes <= KERNEL_SIZE_BYTES) {
        unsigned char *results = output_allocate(inputs.result_bytes, 1);

        answer = judge(run, kernel_run_once(run, &inputs, results));
        free(results);
    }
    kernel_inputs_release(&inputs);
    return answer;
}

void kernel_barriers_job(struct report *report, void *user)
{
    const struct kernel_check *it     = user;
    const struct trm_setting barriers = {.name = "kernel.barriers", .value = "yes"};
    struct kernel_run run             = {.check = it, .report = report, .is_trial = true};
    enum answer answer                = IS_UNKNOWN;
    uint32_t done                     = 0;

    report->ignores_log = true;
    if (kernel_words_has_matrices((const uint32_t *)it->shared->data, it->shared->word_bytes)) {
        report_add(report, FINDING_ABSENT, "barriers", NULL,
                   "whether all work-items come to them is not known: they are not counted in kernels with "
                   "cooperative matrices");
        return;
    }
    if (kernel_run_open(&run, &barriers, 1)) {
        for (uint32_t i = 0; i < it->shared->size_count && answer != IS_FOUND; i++) {
            answer = examine(&run, i);
            done += answer == IS_FINE;
        }
        kernel_run_close(&run);
    }
    if (answer != IS_FOUND && done > 0)
        report_add(report, FINDING_OK, "barriers", NULL,
                   "all work-items of each group come to them, at %u size%s", done, done == 1 ? "" : "s");
    else if (answer != IS_FOUND)
        report_add(report, FINDING_ABSENT, "barriers", NULL,
                   "whether all work-items come to them is not known: the kernel gave no results");
}
