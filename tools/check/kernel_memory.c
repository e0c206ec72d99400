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
    PATTERNS       = 2,
    VARIABLE_WORDS = 4, /* of the declaration of a shared variable */
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

struct examination {
    const struct kernel_check *check;
    struct report *report;
    struct kernel_variable *variables;
    uint32_t count;
};

enum answer {
    IS_WRITTEN,
    IS_READ,
    IS_UNKNOWN, /* a run gave no results */
};

/* The results with some variables beginning with zeros. */
struct outcome {
    struct kernel_run run;
    struct kernel_inputs inputs;
    unsigned char *results;
    int32_t status; /* of the launch: an index that was read there fails it */
};

/* Everywhere in the shared memory that a group may have. On a stream of its own, which has ended: what comes
 * next finds the pattern. */
static int32_t spread_pattern(struct trm_device *device)
{
    struct trm_cpu_kernel pattern_kernel = {
        .name = "pattern", .function = leave_pattern, .group_size = {1, 1, 1}};
    uint64_t most                     = 0;
    int32_t status                    = trm_device_get_u64(device, TRM_DEVICE_MAX_SHARED_BYTES, &most);
    const struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                         .format      = TRM_MODULE_FUNCTIONS,
                                         .data        = &pattern_kernel,
                                         .size        = sizeof(pattern_kernel),
                                         .name        = "pattern"};
    const struct trm_grid grid        = {{1, 1, 1}, {0, 0, 0}, 0, 0};
    struct trm_stream *stream;
    struct trm_module *module;
    struct trm_kernel *kernel;

    if (status != TRM_OK)
        return status;
    pattern_kernel.shared_bytes = (uint32_t)most;
    status                      = trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
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
static enum answer ask(struct examination *it, const struct outcome *usual,
                       const struct kernel_variable *variables, uint32_t count)
{
    struct kernel_difference difference = {.count = 0};
    enum answer answer                  = IS_READ;
    struct outcome other;

    if (!outcome_make(it, variables, count, &other))
        return IS_UNKNOWN;
    if (other.status == usual->status) {
        if (other.status == TRM_OK)
            kernel_compare(&other.inputs, other.results, usual->results, it->check->check->options.tolerance,
                           &difference);
        answer = other.status != TRM_OK ? IS_UNKNOWN : difference.count > 0 ? IS_READ : IS_WRITTEN;
    }
    outcome_release(&other);
    return answer;
}

/* A variable that is read, when some are, in few runs. NULL: only several together matter. */
static const struct kernel_variable *name_read(struct examination *it, const struct outcome *usual)
{
    const struct kernel_variable *first = it->variables;
    uint32_t count                      = it->count;
    bool is_read                        = true; /* one of the `count` from `first` on, alone or together */

    while (count > 1) {
        uint32_t half = count / 2;

        if (ask(it, usual, first, half) == IS_READ) {
            count   = half;
            is_read = true;
        } else {
            first += half;
            count -= half;
            is_read = false; /* it is not known */
        }
    }
    return is_read || ask(it, usual, first, 1) == IS_READ ? first : NULL;
}

static void report_read(struct examination *it, const struct outcome *usual)
{
    const struct kernel_shared *shared     = it->check->shared;
    const struct kernel_variable *variable = name_read(it, usual);
    char place[160]                        = "";

    if (variable)
        kernel_words_reads((const uint32_t *)shared->data, shared->word_bytes, variable->id, place,
                           sizeof(place));
    report_add(
        it->report, FINDING_FAILED, "shared memory",
        "Let each work-item write its part, and all of them wait at a barrier, before any reads: shared "
        "memory begins with what an earlier group left there, and not with zeros.",
        "%s%s is read before it is written%s%s%s",
        variable && *variable->name ? "shared variable " : "a shared variable",
        variable ? variable->name : "", *place ? " (it is read at " : "", place, *place ? ")" : "");
    snprintf(it->check->shared->skipped, sizeof(it->check->shared->skipped),
             "it reads shared memory that it has not written");
}

static enum answer examine(struct examination *it)
{
    enum answer answer;
    struct outcome usual;

    if (!outcome_make(it, NULL, 0, &usual))
        return IS_UNKNOWN;
    answer = ask(it, &usual, it->variables, it->count);
    if (answer == IS_READ)
        report_read(it, &usual);
    outcome_release(&usual);
    return answer;
}

void kernel_memory_job(struct report *report, void *user)
{
    const struct kernel_check *check = user;
    const uint64_t bytes             = check->shared->word_bytes;
    const uint32_t most              = (uint32_t)(bytes / (VARIABLE_WORDS * sizeof(uint32_t)));
    struct examination it            = {.check = check, .report = report};
    enum answer answer               = IS_WRITTEN;

    report->ignores_log = true;
    it.variables        = output_allocate(most, sizeof(*it.variables));
    it.count = kernel_words_variables((const uint32_t *)check->shared->data, bytes, it.variables, most);
    for (int i = 0; i < PATTERNS && answer == IS_WRITTEN; i++) {
        pattern = patterns[i];
        answer  = examine(&it);
    }
    free(it.variables);
    if (answer == IS_WRITTEN)
        report_add(report, FINDING_OK, "shared memory", NULL,
                   "it is written before it is read; where a barrier is missing between what work-items of a "
                   "group read "
                   "and write is not checked");
    else if (answer == IS_UNKNOWN)
        report_add(report, FINDING_ABSENT, "shared memory", NULL,
                   "whether it is written before it is read is not known: the kernel gave no results");
}
