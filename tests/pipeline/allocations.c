/* Host memory: none is allocated after the first tokens, and out of memory is a status.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

/* ---- steady state --------------------------------------------------------------------------- */

/* Submits and takes so many tokens. */
static void serve(struct chain *chain, uint64_t count)
{
    struct trm_token *token;
    uint64_t submitted = 0, taken = 0;

    while (taken < count) {
        if (submitted < count && submitted - taken < chain->desc.depth) {
            ck_ok(trm_pipeline_acquire(chain->pipeline, TRM_FOREVER, &token));
            memset(token->data[0], 0, CHAIN_WORDS * sizeof(uint32_t));
            ck_ok(trm_pipeline_submit(chain->pipeline, token));
            submitted++;
        } else {
            ck_ok(trm_pipeline_next(chain->pipeline, TRM_FOREVER, &token));
            ck_ok(trm_pipeline_release(chain->pipeline, token));
            taken++;
        }
    }
}

/* What `count` tokens allocate after `warm` others. */
static int64_t allocated_by(struct chain *chain, uint64_t warm, uint64_t count)
{
    int64_t before;

    serve(chain, warm);
    before = atomic_load(&the.counting.allocations);
    serve(chain, count);
    return atomic_load(&the.counting.allocations) - before;
}

/* The first tokens fill pools; how many wait at once, which decides the size of pools, is chance, so this may
 * be repeated. */
static int64_t least_allocated(struct chain *chain)
{
    int64_t least = INT64_MAX;

    for (int i = 0; i < 5 && least > 0; i++) {
        int64_t allocated = allocated_by(chain, chain->desc.strategy == TRM_STRATEGY_AUTO ? 600 : 60, 300);
        least             = allocated < least ? allocated : least;
    }
    return least;
}

/* Each strategy, with and without a host stage, measuring everything. */
static void serve_without_allocating(enum fixture_backend backend)
{
    if (!backend_there(backend))
        return;
    fixture_open(backend, NULL, 0);
    for (size_t s = 0; s < sizeof(strategies) / sizeof(strategies[0]); s++) {
        for (int variant = 0; variant < 4; variant++) {
            struct chain chain;
            chain_make(&chain, 3, strategies[s], TRM_FAILURE_STOP, variant % 2 == 1);
            chain.desc.measure      = variant / 2 == 1 ? TRM_MEASURE_ALL : TRM_MEASURE_SAMPLED;
            chain.desc.trace_tokens = variant / 2 == 1 ? 10 : 0;
            if (chain_open(&chain) == TRM_OK) {
                int64_t allocated = least_allocated(&chain);
                ck_assert_msg(allocated == 0, "%s%s: %lld allocations for 300 tokens",
                              trm_strategy_name(strategies[s]), variant % 2 ? " with a host stage" : "",
                              (long long)allocated);
            }
            chain_close(&chain);
        }
    }
    fixture_close();
}

START_TEST(tokens_allocate_nothing_on_the_cpu)
{
    serve_without_allocating(ON_CPU);
}
END_TEST

START_TEST(tokens_allocate_nothing_on_a_device_of_its_own)
{
    serve_without_allocating(ON_TIMED);
}
END_TEST

/* A run may allocate (threads, the source), but twice as many tokens must not allocate more. */
static int64_t allocated_by_run(struct chain *chain, uint64_t count)
{
    int64_t before = atomic_load(&the.counting.allocations);

    chain_round(chain, BY_RUN, count);
    chain_check_whole(chain);
    return atomic_load(&the.counting.allocations) - before;
}

START_TEST(a_longer_run_allocates_no_more_than_a_short_one)
{
    if (!backend_there(ON_CPU))
        return;
    fixture_open(ON_CPU, NULL, 0);
    for (size_t s = 1; s < sizeof(strategies) / sizeof(strategies[0]); s++) {
        struct chain chain;
        chain_make(&chain, 3, strategies[s], TRM_FAILURE_STOP, true);
        if (chain_open(&chain) == TRM_OK) {
            int64_t few, many = INT64_MAX;
            allocated_by_run(&chain, CHAIN_MOST);
            few = allocated_by_run(&chain, CHAIN_MOST / 4);
            for (int i = 0; i < 5 && many > few; i++)
                many = allocated_by_run(&chain, CHAIN_MOST);
            ck_assert_int_le(many, few);
        }
        chain_close(&chain);
    }
    fixture_close();
}
END_TEST

/* ---- out of memory -------------------------------------------------------------------------- */

/* Creates a pipeline and passes tokens with one failing allocation. TRM_OK, or the failure. */
static int32_t live(int32_t strategy, bool with_middle, int32_t mode)
{
    struct chain chain;
    int32_t status;

    chain_make(&chain, 2, strategy, mode, with_middle);
    chain.desc.trace_tokens = 4;
    chain.desc.measure      = TRM_MEASURE_ALL;
    status                  = trm_pipeline_create(the.device, &chain.desc, &chain.pipeline);
    if (status != TRM_OK)
        return status;
    chain.at          = 0; /* unknown which one fails */
    chain.fault_stage = FAULT_STAGES;
    chain_round(&chain, BY_RUN, 8);
    status = chain.status;

    the.counting.fail_at = 0; /* with memory again it can be used */
    chain.at             = UINT64_MAX;
    chain_round(&chain, BY_RUN, 8);
    chain_check_whole(&chain);
    chain_close(&chain);
    return status;
}

/* Repeats with a later failing allocation each time, until none fails. */
static void fail_each(enum fixture_backend backend, int32_t strategy, bool with_middle, int32_t mode)
{
    if (!backend_there(backend))
        return;
    for (int64_t number = 1;; number += scaled(1, 3)) {
        int64_t before;
        int32_t status;

        mark_point();
        fixture_open(backend, NULL, 0);
        before               = atomic_load(&the.counting.allocations);
        the.counting.fail_at = before + number;
        status               = live(strategy, with_middle, mode);
        ck_assert_msg(
            status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY || status == TRM_ERROR_UNSUPPORTED,
            "allocation %lld: %s: %s", (long long)number, trm_status_name(status), trm_last_error().sentence);
        bool reached         = atomic_load(&the.counting.allocations) >= before + number;
        the.counting.fail_at = 0;
        fixture_close();
        if (!reached || status == TRM_ERROR_UNSUPPORTED)
            return;
    }
}

START_TEST(any_allocation_may_fail_on_the_cpu)
{
    fail_each(ON_CPU, strategies[_i / 2], _i % 2 == 1, TRM_FAILURE_STOP);
}
END_TEST

START_TEST(any_allocation_may_fail_on_a_device_of_its_own)
{
    fail_each(ON_TIMED, strategies[_i / 2], _i % 2 == 1, TRM_FAILURE_DRAIN);
}
END_TEST

int main(void)
{
    Suite *suite  = suite_create("memory of pipelines");
    TCase *steady = tcase_create("in the steady state"), *scarce = tcase_create("out of memory");
    SRunner *runner;
    int failed;

    tcase_set_timeout(steady, 300);
    tcase_add_test(steady, tokens_allocate_nothing_on_the_cpu);
    tcase_add_test(steady, tokens_allocate_nothing_on_a_device_of_its_own);
    tcase_add_test(steady, a_longer_run_allocates_no_more_than_a_short_one);
    suite_add_tcase(suite, steady);
    tcase_set_timeout(scarce, 300);
    tcase_add_loop_test(scarce, any_allocation_may_fail_on_the_cpu, 0, 10);
    tcase_add_loop_test(scarce, any_allocation_may_fail_on_a_device_of_its_own, 0, 8);
    suite_add_tcase(suite, scarce);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
