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

/* Returns false after a finding. */
static bool judge(const struct kernel_run *run, int32_t status)
{
    const char *sentence = trm_last_error().sentence, *only = strstr(sentence, "only ");

    if (status != TRM_ERROR_KERNEL || !only || !strstr(only, "barrier"))
        return true; /* what else fails is found elsewhere */
    if (strstr(only, "branch")) {
        report_add(
            run->report, FINDING_FAILED, "barriers",
            "Let all work-items of a group come to each barrier: put the condition around what is before "
            "and behind it, and not around the barrier.",
            "%s", only);
        snprintf(run->check->shared->skipped, sizeof(run->check->shared->skipped),
                 "not all work-items come to its barriers");
        return false;
    }
    report_add(
        run->report, FINDING_WARNING, "barriers",
        "Vulkan leaves undefined what happens then. Do not return before a barrier: put a condition around "
        "the work before and behind it instead.",
        "%s", only);
    return false;
}

void kernel_barriers_job(struct report *report, void *user)
{
    const struct kernel_check *it     = user;
    const struct trm_setting barriers = {.name = "kernel.barriers", .value = "yes"};
    struct kernel_run run             = {.check = it, .report = report, .is_trial = true};
    bool is_fine                      = true;
    uint32_t done                     = 0;

    report->ignores_log = true;
    if (!kernel_run_open(&run, &barriers, 1))
        return;
    for (uint32_t i = 0; i < it->shared->size_count && is_fine; i++) {
        struct kernel_inputs inputs;

        report_begin(report, "running it with work-items counted at barriers: size %u", i + 1);
        kernel_inputs_make(&inputs, &run.info, it, &it->shared->sizes[i]);
        if (inputs.total_bytes <= KERNEL_SIZE_BYTES) {
            unsigned char *results = output_allocate(inputs.result_bytes, 1);

            is_fine = judge(&run, kernel_run_once(&run, &inputs, results));
            free(results);
            done++;
        }
        kernel_inputs_release(&inputs);
    }
    if (is_fine && done > 0)
        report_add(report, FINDING_OK, "barriers", NULL,
                   "all work-items of each group come to them, at %u size%s", done, done == 1 ? "" : "s");
    kernel_run_close(&run);
}
