/* Trireme: running the cases of `trireme bench`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include "tools/output/output.h"

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
    if (status == TRM_OK)
        result->values[result->count++] = value;
    else
        result->skipped = output_copy(bench->complaint ? bench->complaint : trm_last_error().sentence);
    /* A missing feature of the device is not a failure. */
    result->failed = status != TRM_OK && status != TRM_ERROR_UNSUPPORTED;
    bench_teardown(bench);
}

static void list_cases(const struct bench *bench, const struct bench_suite *const *suites,
                       uint32_t suite_count, uint32_t rounds, struct bench_results *results)
{
    uint32_t count = 0;

    for (uint32_t s = 0; s < suite_count; s++)
        count += suites[s]->count;
    results->rows  = output_allocate(count, sizeof(*results->rows));
    results->count = 0;
    for (uint32_t s = 0; s < suite_count; s++) {
        for (uint32_t c = 0; c < suites[s]->count; c++) {
            struct bench_result *result = &results->rows[results->count++];

            result->suite  = suites[s];
            result->test   = &suites[s]->cases[c];
            result->share  = bench->quick ? LEAST_SHARE : 0;
            result->values = output_allocate(rounds, sizeof(*result->values));
        }
    }
}

void bench_run(struct bench *bench, const struct bench_suite *const *suites, uint32_t suite_count,
               uint32_t rounds, struct bench_results *results)
{
    list_cases(bench, suites, suite_count, rounds, results);
    sem_init(&bench->wake, 0, 0);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < results->count; i++) {
            show_progress(&results->rows[i], round, rounds);
            run_case(bench, &results->rows[i]);
        }
    }
    clear_progress();
    sem_destroy(&bench->wake);
}

void bench_results_release(struct bench_results *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        free(results->rows[i].values);
        free(results->rows[i].skipped);
    }
    free(results->rows);
}
