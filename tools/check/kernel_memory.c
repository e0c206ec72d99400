/* Trireme: does the user's kernel read shared memory that its group has not written?
 *
 * With one worker thread all kernels of the cpu use the same memory as shared memory, one group after the
 * other. So a kernel in C leaves a pattern there, and the user's kernel runs with it, and once more with
 * variables that begin with zeros instead: where the results differ, it has read what no work-item wrote.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/cpu_kernel.h>

enum {
    MOST_VARIABLES = 16,
    PATTERNS       = 2,
    MOST_BYTES     = 1 << 20,
};

/* Large finite floats and integers, which a minimum hides; then NaN and -1, which most maxima do. */
static const unsigned char patterns[PATTERNS] = {0x7f, 0xff};

static unsigned char pattern;

static int32_t leave_pattern(const struct trm_cpu_groups *groups, const void *block)
{
    (void)block;
    memset(groups->scratch, pattern, groups->scratch_bytes);
    return 0;
}

static const struct trm_cpu_kernel pattern_kernel = {
    .name = "pattern", .function = leave_pattern, .group_size = {1, 1, 1}, .shared_bytes = MOST_BYTES};

struct examination {
    const struct kernel_check *check;
    struct report *report;
    struct kernel_variable variables[MOST_VARIABLES];
    uint32_t count;
};

/* The results with some variables beginning with zeros. */
struct outcome {
    struct kernel_run run;
    struct kernel_inputs inputs;
    unsigned char *results;
    int32_t status; /* of the launch: an index that was read there fails it */
};

/* On a stream of its own, which has ended: what comes next finds the pattern. */
static int32_t spread_pattern(struct trm_device *device)
{
    const struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                         .format      = TRM_MODULE_FUNCTIONS,
                                         .data        = &pattern_kernel,
                                         .size        = sizeof(pattern_kernel),
                                         .name        = "pattern"};
    const struct trm_grid grid        = {{1, 1, 1}, {0, 0, 0}, 0, 0};
    struct trm_stream *stream;
    struct trm_module *module;
    struct trm_kernel *kernel;
    int32_t status = trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);

    if (status != TRM_OK)
        return status;
    status = trm_module_load(device, &desc, &module);
    if (status == TRM_OK) {
        status = trm_kernel_get(module, "pattern", &kernel);
        if (status == TRM_OK) {
            status = trm_launch(stream, kernel, &grid, NULL, 0);
            if (status == TRM_OK)
                status = trm_stream_sync(stream);
            trm_kernel_destroy(kernel);
        }
        trm_module_destroy(module);
    }
    trm_stream_destroy(stream);
    return status;
}

static void outcome_release(struct outcome *outcome)
{
    free(outcome->results);
    kernel_inputs_release(&outcome->inputs);
    kernel_run_close(&outcome->run);
}

/* False: there is no outcome, for a reason that is told elsewhere. Release it otherwise. */
static bool outcome_make(struct examination *it, const struct kernel_variable *variables, uint32_t count,
                         struct outcome *outcome)
{
    static const struct trm_setting settings[] = {{.name = "kernel.bounds", .value = "yes"},
                                                  {.name = "cpu.workers", .value = "1"}};
    const struct kernel_shared *shared         = it->check->shared;
    uint64_t bytes                             = 0;
    uint32_t *words =
        kernel_words_zeroed((const uint32_t *)shared->data, shared->word_bytes, variables, count, &bytes);
    bool is_open;

    memset(outcome, 0, sizeof(*outcome));
    outcome->run = (struct kernel_run){
        .check = it->check, .report = it->report, .words = words, .word_bytes = bytes, .is_trial = true};
    is_open = kernel_run_open(&outcome->run, settings, 2);
    free(words);
    if (!is_open)
        return false;
    report_begin(it->report, "running it with a pattern in shared memory");
    kernel_inputs_make(&outcome->inputs, &outcome->run.info, it->check, &shared->sizes[0]);
    if (outcome->inputs.total_bytes <= KERNEL_SIZE_BYTES && spread_pattern(outcome->run.device) == TRM_OK) {
        outcome->results = output_allocate(outcome->inputs.result_bytes, 1);
        outcome->status  = kernel_run_once(&outcome->run, &outcome->inputs, outcome->results);
        return true;
    }
    outcome_release(outcome);
    return false;
}

/* Do the results differ where these variables begin with zeros? */
static bool is_read(struct examination *it, const struct outcome *usual,
                    const struct kernel_variable *variables, uint32_t count)
{
    struct kernel_difference difference = {.count = 0};
    struct outcome other;
    bool differs;

    if (!outcome_make(it, variables, count, &other))
        return false;
    differs = other.status != usual->status;
    if (!differs && other.status == TRM_OK)
        kernel_compare(&other.inputs, other.results, usual->results, it->check->check->options.tolerance,
                       &difference);
    outcome_release(&other);
    return differs || difference.count > 0;
}

static void report_read(struct examination *it, const struct outcome *usual)
{
    const char *name = NULL;

    for (uint32_t i = 0; i < it->count && !name; i++)
        if (is_read(it, usual, &it->variables[i], 1))
            name = it->variables[i].name;
    report_add(
        it->report, FINDING_FAILED, "shared memory",
        "Let each work-item write its part, and all of them wait at a barrier, before any reads: shared "
        "memory begins with what an earlier group left there, and not with zeros.",
        name && *name ? "shared variable %s is read before it is written"
                      : "a shared variable%.0s is read before it is written",
        name ? name : "");
    snprintf(it->check->shared->skipped, sizeof(it->check->shared->skipped),
             "it reads shared memory that it has not written");
}

/* Returns false after a finding. */
static bool examine(struct examination *it)
{
    struct outcome usual;
    bool is_fine;

    if (!outcome_make(it, NULL, 0, &usual))
        return false;
    is_fine = !is_read(it, &usual, it->variables, it->count);
    if (!is_fine)
        report_read(it, &usual);
    outcome_release(&usual);
    return is_fine;
}

void kernel_memory_job(struct report *report, void *user)
{
    const struct kernel_check *check = user;
    struct examination it            = {.check = check, .report = report};
    int done                         = 0;

    report->ignores_log = true;
    it.count = kernel_words_variables((const uint32_t *)check->shared->data, check->shared->word_bytes,
                                      it.variables, MOST_VARIABLES);
    while (done < PATTERNS) {
        pattern = patterns[done];
        if (!examine(&it))
            break;
        done++;
    }
    if (done == PATTERNS)
        report_add(report, FINDING_OK, "shared memory", NULL, "it is written before it is read");
}
