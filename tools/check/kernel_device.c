/* Trireme: the user's kernel on one device: the same as on the first one, and the same in every run?
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS       = 6,
    QUICK_RUNS = 3,
};

#define PATIENCE_NS \
    10000000000 /* after which a slow kernel is not repeated more often, nor run at more sizes */

/* What is known after some sizes. */
struct progress {
    struct kernel_run *run;
    uint32_t sizes;
    uint64_t begun_ns;
    bool is_reference; /* this device made the results that others are compared with */
    bool rounds;       /* the last bits differ from run to run */
    bool rounds_apart; /* and from those of the reference */
};

static bool is_slow(const struct progress *progress)
{
    return trm_clock_now() - progress->begun_ns > PATIENCE_NS;
}

/* "element 3 of points (member weight)" */
static void element_text(const struct kernel_difference *difference, char *text, size_t capacity)
{
    int length = snprintf(text, capacity, "element %llu of %.80s", (unsigned long long)difference->element,
                          difference->parameter->name);

    if (*difference->member)
        snprintf(text + length, capacity - (size_t)length, " (member %s)", difference->member);
}

static void report_difference(const struct progress *progress, const struct kernel_inputs *inputs,
                              const struct kernel_difference *difference)
{
    const struct kernel_check *it = progress->run->check;
    char text[512], element[2 * VALUE_TEXT + 192];
    size_t length;

    kernel_inputs_text(inputs, text, sizeof(text));
    element_text(difference, element, sizeof(element));
    length = strlen(element);
    snprintf(element + length, sizeof(element) - length, " is %s instead of %s", difference->value,
             difference->reference);
    if (!it->has_one_worker) {
        report_add(
            progress->run->report, FINDING_FAILED, "results",
            it->shared->has_subgroups
                ? "The kernel uses subgroups, whose size differs from device to device: let no result "
                  "depend on it (gl_SubgroupSize, what subgroup operations combine)."
                : "Look for a race, for memory that is read before it is written, or for what devices may "
                  "compute differently; --tolerance allows for rounding.",
            "differs from %s in %llu element%s: %s; with %s", it->shared->reference,
            (unsigned long long)difference->count, difference->count == 1 ? "" : "s, the first", element,
            text);
        return;
    }
    it->shared->is_random = true;
    report_add(
        progress->run->report, FINDING_FAILED, "order",
        "Work-groups run in any order: let none depend on what another writes, but by atomics, nor read "
        "shared memory that it has not written.",
        "not deterministic: with one worker thread %s; with %s", element, text);
}

static void report_random(const struct progress *progress, const struct kernel_inputs *inputs,
                          const struct kernel_difference *difference)
{
    char text[512], element[192];

    progress->run->check->shared->is_random = true;
    element_text(difference, element, sizeof(element));
    kernel_inputs_text(inputs, text, sizeof(text));
    report_add(progress->run->report, FINDING_FAILED, "repeated",
               "Look for a race: two work-items that use one element, of which one writes it, need a barrier "
               "in their group, or an atomic. Or for a variable that is read before it is set.",
               "not deterministic: %s is %s, and in another run with the same inputs %s; with "
               "%s",
               element, difference->reference, difference->value, text);
}

/* Compares with the results of the reference, or makes these the reference. */
static bool compare_devices(struct progress *progress, const struct kernel_inputs *inputs,
                            struct kernel_size *size, const unsigned char *results)
{
    const struct kernel_check *it = progress->run->check;
    unsigned char *reference      = it->shared->data + size->place;
    struct kernel_difference difference;

    if (!size->has_reference) {
        memcpy(reference, results, inputs->result_bytes);
        size->has_reference    = true;
        progress->is_reference = true;
        snprintf(it->shared->reference, sizeof(it->shared->reference), "%s", it->summary->id);
        return true;
    }
    if (it->shared->is_random)
        return true;
    kernel_compare(inputs, results, reference, it->check->options.tolerance, &difference);
    progress->rounds_apart |= !difference.is_exact;
    if (difference.count == 0)
        return true;
    report_difference(progress, inputs, &difference);
    return false;
}

static bool repeat(struct progress *progress, const struct kernel_inputs *inputs,
                   const unsigned char *results)
{
    const struct check_options *options = &progress->run->check->check->options;
    int runs                            = options->is_quick ? QUICK_RUNS : RUNS;
    unsigned char *again                = output_allocate(inputs->result_bytes, 1);
    struct kernel_difference difference = {0};
    bool is_fine                        = true;

    for (int i = 1; i < runs && is_fine && (i == 1 || !is_slow(progress)); i++) {
        report_begin(progress->run->report, "running it: size %u, run %d of %d", progress->sizes + 1, i + 1,
                     runs);
        is_fine = kernel_run_once(progress->run, inputs, again) == TRM_OK;
        if (!is_fine) {
            report_failure(progress->run->report, "repeated", "a repeated run failed");
            break;
        }
        kernel_compare(inputs, again, results, options->tolerance, &difference);
        progress->rounds |= !difference.is_exact;
        is_fine = difference.count == 0;
        if (!is_fine)
            report_random(progress, inputs, &difference);
    }
    free(again);
    return is_fine;
}

/* Returns false after a finding. */
static bool run_size(struct progress *progress, struct kernel_size *size)
{
    const struct kernel_run *run = progress->run;
    struct kernel_inputs inputs;
    unsigned char *results;
    bool is_fine = false;

    if (run->check->has_one_worker && !size->has_reference)
        return true; /* there is nothing to compare with */
    kernel_inputs_make(&inputs, &run->info, run->check, size);
    if (inputs.total_bytes > KERNEL_SIZE_BYTES) {
        kernel_inputs_release(&inputs);
        return true; /* a smaller one says enough */
    }
    results = output_allocate(inputs.result_bytes, 1);
    if (kernel_run_once(progress->run, &inputs, results) != TRM_OK)
        report_failure(run->report, "results", "the kernel cannot be run");
    else if (run->check->has_one_worker)
        is_fine = compare_devices(progress, &inputs, size, results);
    else
        is_fine = repeat(progress, &inputs, results) && compare_devices(progress, &inputs, size, results);
    progress->sizes += is_fine;
    free(results);
    kernel_inputs_release(&inputs);
    return is_fine;
}

static void report_fine(const struct progress *progress)
{
    const struct kernel_check *it = progress->run->check;
    const char *plural            = progress->sizes == 1 ? "" : "s";

    if (it->has_one_worker) {
        report_add(progress->run->report, FINDING_OK, "order", NULL,
                   "one worker thread, which runs groups in order, gives the same");
        return;
    }
    if (progress->is_reference || it->shared->is_random)
        report_add(progress->run->report, FINDING_OK, "results", NULL,
                   "ran at %u size%s, every run with the %s", progress->sizes, plural,
                   progress->rounds ? "same results but for rounding, which varies" : "same bits");
    else
        report_add(progress->run->report, FINDING_OK, "results", NULL,
                   "the same as on %s at %u size%s%s, every run with the %s", it->shared->reference,
                   progress->sizes, plural, progress->rounds_apart ? " within the tolerance" : "",
                   progress->rounds ? "same results but for rounding, which varies" : "same bits");
}

static void run_sizes(struct kernel_run *run)
{
    struct kernel_shared *shared = run->check->shared;
    struct progress progress     = {.run = run, .begun_ns = trm_clock_now()};

    for (uint32_t i = 0; i < shared->size_count && (i == 0 || !is_slow(&progress)); i++) {
        report_begin(run->report, "running it: size %u", i + 1);
        if (!run_size(&progress, &shared->sizes[i]))
            return;
    }
    if (progress.sizes > 0)
        report_fine(&progress);
    else if (!run->check->has_one_worker)
        report_add(run->report, FINDING_FAILED, "results",
                   "Give fewer items, or fewer elements of its buffers.",
                   "its buffers would take more than %u MiB", (unsigned)(KERNEL_SIZE_BYTES >> 20));
}

void kernel_device_job(struct report *report, void *user)
{
    const struct kernel_check *it  = user;
    const struct trm_setting alone = {.name = "cpu.workers", .value = "1"};
    struct kernel_run run          = {.check = it, .report = report};

    if (!kernel_run_open(&run, &alone, it->has_one_worker ? 1 : 0))
        return;
    if (*it->shared->obstacle || *it->shared->skipped)
        report_add(report, FINDING_OK, "loaded", NULL, "compiled; it is not run, since %s",
                   *it->shared->obstacle ? it->shared->obstacle : it->shared->skipped);
    else
        run_sizes(&run);
    kernel_run_close(&run);
}
