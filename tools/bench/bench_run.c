/* Trireme: running the cases of `trireme bench`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include "tools/output/output.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

static void show_progress(const struct bench_result *result, uint32_t round, uint32_t rounds)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kround %u of %u: %s %s", (unsigned)round + 1, (unsigned)rounds,
                result->suite->name, result->test->name);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Time that one sample should take. Counts are chosen for the cpu; other devices may take a hundred times as
 * long. */
#define SAMPLE_NS 500000000u
#define LEAST_SHARE 20u

/* Determine the share of its work that a case can do in SAMPLE_NS. */
static int32_t find_share(struct bench *bench, struct bench_result *result)
{
    uint64_t begin = bench_now();
    double value;

    bench->share   = LEAST_SHARE;
    int32_t status = result->test->sample(bench, result->test, &value);
    uint64_t all   = (bench_now() - begin) * LEAST_SHARE;
    uint64_t share = 1 + all / SAMPLE_NS;
    result->share  = share < LEAST_SHARE ? (uint32_t)share : LEAST_SHARE;
    return status;
}

static int32_t measure(struct bench *bench, struct bench_result *result, double *value)
{
    const struct bench_case *test = result->test;
    int32_t status                = test->setup ? test->setup(bench, test) : TRM_OK;

    if (status == TRM_OK && result->share == 0)
        status = find_share(bench, result);
    bench->share = result->share;
    for (uint32_t i = 0; status == TRM_OK && i < 2; i++)
        status = test->sample(bench, test, value);
    return status;
}

static void run_case(struct bench *bench, struct bench_result *result)
{
    const struct bench_case *test = result->test;
    double value                  = 0.0;
    int32_t status;

    if (result->skipped)
        return;
    if ((test->needs & BENCH_NEEDS_POST) && !bench->post) {
        result->skipped = output_copy("the device takes no C functions as kernels");
        return;
    }
    if ((test->needs & BENCH_NEEDS_EMPTY) && !bench->empty) {
        result->skipped =
            output_copy("the kernel fill, which stands for one that does nothing, cannot be had");
        return;
    }
    bench->complaint = NULL;
    status           = measure(bench, result, &value);
    if (status == TRM_OK) {
        if (result->notes)
            result->notes[result->count] = output_copy(bench->note);
        result->values[result->count++] = value;
    } else
        result->skipped = output_copy(bench->complaint ? bench->complaint : trm_last_error().sentence);
    /* A missing feature of the device is not a failure. */
    result->failed = status != TRM_OK && status != TRM_ERROR_UNSUPPORTED;
    bench->note[0] = '\0';
    bench_teardown(bench);
}

/* ---- the rows ------------------------------------------------------------------------------------------ */

/* The number of cases from `first` on that follow each other. */
static uint32_t chain_of(const struct bench_suite *suite, uint32_t first)
{
    uint32_t count = 1;

    while (first + count < suite->count && suite->cases[first + count].follows)
        count++;
    return count;
}

static bool is_chosen(const struct bench_case *cases, uint32_t count, const char *pattern)
{
    for (uint32_t i = 0; i < count; i++)
        if (!pattern || fnmatch(pattern, cases[i].name, 0) == 0)
            return true;
    return false;
}

static void add_rows(const struct bench_suite *suite, uint32_t first, uint32_t count,
                     struct bench_results *results)
{
    uint32_t row = results->count;

    for (uint32_t i = 0; i < count; i++) {
        struct bench_result *result = &results->rows[results->count++];

        result->suite = suite;
        result->test  = &suite->cases[first + i];
        result->first = row;
        result->last  = row + count - 1;
    }
}

void bench_results_choose(const struct bench_suite *const *suites, uint32_t suite_count, const char *pattern,
                          struct bench_results *results)
{
    uint32_t most = 0;

    for (uint32_t s = 0; s < suite_count; s++)
        most += suites[s]->count;
    results->rows  = output_allocate(most, sizeof(*results->rows));
    results->count = 0;
    for (uint32_t s = 0; s < suite_count; s++)
        for (uint32_t first = 0, count; first < suites[s]->count; first += count) {
            count = chain_of(suites[s], first);
            if (is_chosen(&suites[s]->cases[first], count, pattern))
                add_rows(suites[s], first, count, results);
        }
}

void bench_results_release(struct bench_results *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        struct bench_result *result = &results->rows[i];

        for (uint32_t round = 0; result->notes && round < result->count; round++)
            free(result->notes[round]);
        free(result->notes);
        free(result->values);
        free(result->skipped);
    }
    free(results->rows);
}

/* ---- the rounds ---------------------------------------------------------------------------------------- */

/* The row behind those that have their rounds together with the row `first`. */
static uint32_t end_of_stretch(const struct bench_results *results, uint32_t first)
{
    const struct bench_suite *suite = results->rows[first].suite;
    uint32_t end                    = results->rows[first].last + 1;

    while (!suite->contests && end < results->count && results->rows[end].suite == suite)
        end++;
    return end;
}

static void run_stretch(struct bench *bench, uint32_t rounds, struct bench_results *results, uint32_t first,
                        uint32_t end, bench_ended ended)
{
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = first; i < end; i++) {
            struct bench_result *result = &results->rows[i];

            show_progress(result, round, rounds);
            run_case(bench, result);
            if (round < rounds - 1 || i < result->last)
                continue;
            clear_progress();
            ended(bench, results, result->first, i);
        }
}

void bench_run(struct bench *bench, uint32_t rounds, struct bench_results *results, bench_ended ended)
{
    for (uint32_t i = 0; i < results->count; i++) {
        struct bench_result *result = &results->rows[i];

        result->share  = bench->quick ? LEAST_SHARE : 0;
        result->values = output_allocate(rounds, sizeof(*result->values));
        if (result->suite->contests)
            result->notes = output_allocate(rounds, sizeof(*result->notes));
    }
    sem_init(&bench->wake, 0, 0);
    for (uint32_t first = 0, end; first < results->count; first = end) {
        end = end_of_stretch(results, first);
        run_stretch(bench, rounds, results, first, end, ended);
    }
    sem_destroy(&bench->wake);
}
