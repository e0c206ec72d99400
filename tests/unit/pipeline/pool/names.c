/* What profiles and log lines call the streams of a pool, and what the log is told of its strategy.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream.h"
#include "tests/unit/log_lines.h"
#include "tests/unit/pipeline/pool/fixture.h"

static void check_name(int32_t priority, const char *expected)
{
    const struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .priority = priority, .most = 1};
    struct trm_stream_pool *named;
    struct trm_stream *stream;
    char name[CORE_STREAM_NAME];

    OK(trm_stream_pool_create(fake.device, &desc, &named));
    OK(trm_stream_pool_acquire(named, 0, 0, &stream));
    core_stream_copy_name(core_stream_find(stream), name);
    ck_assert_str_eq(name, expected);
    OK(trm_stream_pool_release(named, stream));
    trm_stream_pool_destroy(named);
}

START_TEST(streams_of_a_pool_are_called_after_their_priority)
{
    open_pool(1);
    check_name(TRM_PRIORITY_LOW, "pool low");
    check_name(TRM_PRIORITY_NORMAL, "pool");
    check_name(TRM_PRIORITY_HIGH, "pool high");
    check_name(TRM_PRIORITY_HIGH + 7, "pool high");
    close_pool();
}
END_TEST

/* Tasks of 100 ns one after another; one by `strategy` takes 80 ns. */
static void run_tasks(uint32_t tasks, int32_t strategy)
{
    static uint64_t now = 1000;

    for (uint32_t i = 0; i < tasks; i++) {
        bool is_faster = pipeline_pool_trial_strategy(&pool->trial) == strategy;
        pipeline_pool_trial_begin(&pool->trial, now);
        now += is_faster ? 80 : 100;
        pipeline_pool_trial_add(&pool->trial, 100, now);
        pipeline_pool_trial_end(&pool->trial, now);
    }
}

START_TEST(the_log_tells_which_strategy_auto_moves_to)
{
    open_pool(1);
    pool->strategy = TRM_STREAM_AUTO;
    memset(&pool->trial, 0, sizeof(pool->trial)); /* one that has all its turns at once */
    log_lines_begin(pool->object.context);
    lend_once();
    ck_assert_uint_eq(log_lines_count("info", "pool", "stream pool ", "auto moves"), 0);
    run_tasks(200, TRM_STREAM_WORKLOAD);
    for (int i = 0; i < 2; i++) { /* once */
        lend_once();
        ck_assert_uint_eq(log_lines_count("info", "pool", "stream pool ",
                                          "auto moves from least-loaded to workload, which gets 125 %"),
                          1);
    }
    close_pool();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool names");
    TCase *tests = tcase_create("names");

    tcase_add_test(tests, streams_of_a_pool_are_called_after_their_priority);
    tcase_add_test(tests, the_log_tells_which_strategy_auto_moves_to);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
