/* Waiting for each operation (stream.serial).
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream.h"
#include "tests/unit/stream_fixture.h"

static void begin_serial(const char *value)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_setting setting     = {"stream.serial", value};
    struct trm_context_desc desc   = {
          .struct_size   = sizeof(desc),
          .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator     = &allocator,
          .settings      = &setting,
          .setting_count = 1,
    };
    memset(&counting, 0, sizeof(counting));
    fake_init(&fake, FAKE_ALL, &desc);
    fake_open(&fake);
}

START_TEST(an_operation_has_ended_when_its_call_returns)
{
    begin_serial("yes");
    fake_let_run(&fake);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT), 1);
    ck_assert_uint_eq(atomic_load(&core_stream_find(stream)->completed), 1);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(without_the_setting_no_operation_is_waited_for)
{
    begin_serial("no");
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT), 0);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_operation_that_fails_returns_the_failure)
{
    begin_serial("yes");
    fake_let_run(&fake);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    fail_next(FAKE_CALL_WAIT, TRM_ERROR_KERNEL);
    ck_assert_int_eq(fake_enqueue(stream), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_operation_that_is_refused_is_not_waited_for)
{
    begin_serial("yes");
    fake_let_run(&fake);
    struct trm_stream *stream = make_stream();
    struct core_stream *found = core_stream_find(stream);
    ck_assert_int_eq(
        core_stream_commit_work(found, 1, "stream.copy", TRM_ERROR_OUT_OF_HOST_MEMORY, CORE_WORK_COPY, 8),
        TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT), 0);
    ck_assert_uint_eq(atomic_load(&found->enqueued), 0);
    OK(fake_enqueue(stream));
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* What the stream waits for is enqueued, but the fake lets it run only later, as another thread would. */
START_TEST(what_is_behind_a_wait_that_lasts_is_not_waited_for)
{
    struct trm_point point;
    begin_serial("yes");
    struct trm_stream *held = make_stream(), *waiter = make_stream();
    atomic_store(&core_stream_find(held)->observed, 0);
    fake_run(&fake, waiter, UINT64_MAX);
    OK(fake_enqueue(held));
    OK(trm_stream_mark(held, &point));
    OK(trm_stream_wait(waiter, point));
    OK(fake_enqueue(waiter));
    ck_assert_int_ne(trm_last_error().status, TRM_ERROR_TIMEOUT);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT), 0);
    fake_run(&fake, held, UINT64_MAX);
    OK(fake_enqueue(waiter));
    ck_assert_uint_eq(atomic_load(&core_stream_find(waiter)->completed), 3);
    OK(trm_stream_query(waiter));
    trm_stream_destroy(waiter);
    trm_stream_destroy(held);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("observe");
    TCase *all   = tcase_create("serial");
    tcase_add_test(all, an_operation_has_ended_when_its_call_returns);
    tcase_add_test(all, without_the_setting_no_operation_is_waited_for);
    tcase_add_test(all, an_operation_that_fails_returns_the_failure);
    tcase_add_test(all, an_operation_that_is_refused_is_not_waited_for);
    tcase_add_test(all, what_is_behind_a_wait_that_lasts_is_not_waited_for);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
