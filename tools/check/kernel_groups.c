/* Trireme: do the results of the user's kernel depend on the size of its group?
 *
 * A size that is a specialization constant is for others to choose. The kernel runs with another one, on the
 * same inputs, whose work-items are whole groups of both sizes. Where each group makes a result of its own,
 * such as a sum, what differs is meant: so it is a warning.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    const struct kernel_check *check;
    struct report *report;
    struct kernel_size size;
    char sizes[96]; /* "constant 7 = 32 instead of 64" */
};

/* More work-items and longer buffers, so that neither size leaves a part of a group. False: the user gives
 * the number of work-items, and the kernel none to compare its index with. */
static bool choose_size(struct trial *trial, const struct trm_kernel_info *info)
{
    const struct kernel_group_constant *group = &trial->check->shared->group;
    uint64_t whole                            = group->value > group->other ? group->value : group->other;
    uint64_t *side                            = &trial->size.items[group->side], before, rounded;

    trial->size = trial->check->shared->sizes[0];
    before      = *side;
    rounded     = (before + whole - 1) / whole * whole;
    if (kernel_inputs_has_sides(info, trial->check->spec))
        return rounded == before || kernel_inputs_has_count(info);
    *side                = rounded;
    trial->size.elements = (trial->size.elements + before - 1) / before * rounded;
    return true;
}

static void report_failing(struct trial *trial)
{
    report_add(trial->report, FINDING_WARNING, "group size",
               "Let nothing rely on one size of the group, or make it no constant.", "with %s it fails: %s",
               trial->sizes, trm_last_error().sentence);
}

/* One run with every index checked. True: it has results, which the caller frees with the inputs. */
static bool run_with(struct trial *trial, const struct trm_constant *constant, bool is_first,
                     struct kernel_run *run, struct kernel_inputs *inputs, unsigned char **results)
{
    const struct trm_setting bounds = {.name = "kernel.bounds", .value = "yes"};
    int32_t status                  = TRM_OK;

    *run = (struct kernel_run){
        .check = trial->check, .report = trial->report, .more = constant, .is_trial = !is_first};
    if (!kernel_run_open(run, &bounds, 1)) {
        if (!is_first)
            report_failing(trial);
        return false;
    }
    if (is_first && !choose_size(trial, &run->info)) {
        kernel_run_close(run);
        return false;
    }
    report_begin(trial->report, "running it with %s groups", is_first ? "its own" : "other");
    kernel_inputs_make(inputs, &run->info, trial->check, &trial->size);
    if (inputs->total_bytes <= KERNEL_SIZE_BYTES) {
        *results = output_allocate(inputs->result_bytes, 1);
        status   = kernel_run_once(run, inputs, *results);
        if (status == TRM_OK)
            return true;
        free(*results);
        if (!is_first)
            report_failing(trial);
    }
    kernel_inputs_release(inputs);
    kernel_run_close(run);
    return false;
}

static void judge(struct trial *trial, const struct kernel_inputs *inputs, const unsigned char *results,
                  const unsigned char *reference)
{
    const struct kernel_group_constant *group = &trial->check->shared->group;
    struct kernel_difference difference;
    char text[512];

    kernel_compare(inputs, results, reference, trial->check->check->options.tolerance, &difference);
    if (difference.count == 0) {
        report_add(trial->report, FINDING_OK, "group size", NULL, "the same with %s", trial->sizes);
        return;
    }
    kernel_inputs_text(inputs, text, sizeof(text));
    report_add(
        trial->report, FINDING_WARNING, "group size",
        "If each group is to have a result of its own, nothing is wrong. If not, let results depend on "
        "gl_GlobalInvocationID alone, and on no number that repeats the size.",
        "the results depend on it: with %s, the size of the group in %c, element %llu of %s is %s instead "
        "of %s; with %s",
        trial->sizes, "xyz"[group->side], (unsigned long long)difference.element, difference.parameter->name,
        difference.value, difference.reference, text);
}

void kernel_groups_job(struct report *report, void *user)
{
    const struct kernel_check *it             = user;
    const struct kernel_group_constant *group = &it->shared->group;
    const struct trm_constant other           = {.id = group->id, .type = group->type, .bits = group->other};
    struct trial trial                        = {.check = it, .report = report};
    struct kernel_inputs inputs, others;
    struct kernel_run run, second;
    unsigned char *reference, *results;

    report->ignores_log = true;
    snprintf(trial.sizes, sizeof(trial.sizes), "constant %u = %u instead of %u", group->id, group->other,
             group->value);
    if (!run_with(&trial, NULL, true, &run, &inputs, &reference))
        return;
    if (run_with(&trial, &other, false, &second, &others, &results)) {
        judge(&trial, &others, results, reference);
        free(results);
        kernel_inputs_release(&others);
        kernel_run_close(&second);
    }
    free(reference);
    kernel_inputs_release(&inputs);
    kernel_run_close(&run);
}
