/* Runs whose report has no times.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

static struct record record;

static int32_t run(uint64_t count, uint32_t workers)
{
    record_init(&record, count);
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_function(record_take, &record);
    source.workers           = workers;
    return trm_pipeline_run(fake.handle, &source, &sink);
}

/* The tokens take their time one after the other. The last one whose source and sink are timed is not the
 * last of the run. */
START_TEST(a_run_without_times_tells_how_long_it_took)
{
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc), .depth = 3, .measure = TRM_MEASURE_NONE};
    const uint64_t tokens         = PIPELINE_TIMED_EACH + 8;

    fake_create(&desc);
    fake.duration = MILLISECOND;
    ck_assert_int_eq(run(tokens, 0), TRM_OK);
    ck_assert(record_is_complete(&record, tokens, NO_TOKEN));
    ck_assert_uint_ge(fake_report().elapsed_ns, tokens * MILLISECOND);
    fake_counts(tokens, 0, 0, 0);
    fake_destroy();
}
END_TEST

/* Loaders, and a limit of the time that tokens may take, need the time of each. */
START_TEST(what_needs_times_gets_them_although_the_report_has_none)
{
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc), .depth = 3, .measure = TRM_MEASURE_NONE};

    desc.token_timeout_ns = _i == 0 ? 0 : 50 * MILLISECOND;
    fake_create(&desc);
    fake.fates[5] = _i == 0 ? FATE_GOOD : FATE_HANGS;
    ck_assert_int_eq(run(10, _i == 0 ? 2 : 0), _i == 0 ? TRM_OK : TRM_ERROR_TIMEOUT);
    ck_assert(fake.pipeline->queue->times_all);
    fake_destroy();
}
END_TEST

/* At the end of tokens 1, 6, 11 and 16. */
START_TEST(the_engine_is_asked_for_the_slots_in_use_only_at_the_times_it_says)
{
    fake_create_plain(3, TRM_FAILURE_STOP);
    fake.slots_rest = 5;
    ck_assert_int_eq(run(20, _i == 0 ? 2 : 0), TRM_OK);
    ck_assert_uint_eq(fake.slots_asked, 4);
    fake_destroy();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("queues: times");
    TCase *tests = tcase_create("times");

    tcase_add_test(tests, a_run_without_times_tells_how_long_it_took);
    tcase_add_loop_test(tests, what_needs_times_gets_them_although_the_report_has_none, 0, 2);
    tcase_add_loop_test(tests, the_engine_is_asked_for_the_slots_in_use_only_at_the_times_it_says, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
