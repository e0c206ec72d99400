/* The cuda backend's streams: marks, and how they are re-used.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/stream/mark.h"
#include "tests/unit/backends/cuda/streams.h"
#include "tests/unit/runner.h"

static uint64_t events(void)
{
    struct cuda_standin_account account;
    on.control->account(&account);
    return account.events;
}

START_TEST(marks_are_found_however_many_there_are)
{
    enum {
        COUNT = 300
    };
    struct trm_backend_stream *stream = on_stream();
    /* keep the wait from sleeping, which would take steps */
    on.device->spin_ns = UINT64_C(1) << 62;
    on.control->hold();
    for (uint64_t i = 1; i <= COUNT; i++)
        ck_ok(mark_after(stream, i, (uint8_t)i));
    ck_assert_uint_eq(completed(stream), 0);
    on.control->step(2 * 100);
    ck_ok(ops->wait(stream, 100, TRM_FOREVER));
    ck_assert_uint_eq(completed(stream), 100);
    ck_status(ops->wait(stream, 101, 0), TRM_ERROR_TIMEOUT);
    on.control->step(2);
    ck_ok(ops->wait(stream, 101, TRM_FOREVER));
    finish(stream, COUNT);
}
END_TEST

START_TEST(marks_that_are_waited_for_are_used_again)
{
    struct trm_backend_stream *stream = on_stream();
    uint64_t before = 0, value = 0;
    on.device->spin_ns = UINT64_C(1) << 62;
    for (uint64_t i = 0; i < 1000; i++) {
        for (int n = 0; n < 3; n++) {
            value++;
            ck_ok(mark_after(stream, value, 1));
        }
        ck_ok(ops->wait(stream, value, TRM_FOREVER));
        if (i == 0)
            before = events();
    }
    ck_assert_uint_le(events(), before + 1);
    finish(stream, value);
}
END_TEST

/* With no thread that waits or queries, the stream finds out by itself. */
START_TEST(marks_without_waiters_are_reused)
{
    struct trm_backend_stream *stream = on_stream();
    for (uint64_t i = 1; i <= 3000; i++) {
        ck_ok(mark_after(stream, i, 1));
        on.control->settle();
    }
    ck_assert_uint_lt(events(), 600);
    ck_assert_uint_le(on.control->calls("cuEventQuery"), 3000 / 16);
    finish(stream, 3000);
}
END_TEST

/* The device is always forty marks behind. */
START_TEST(a_device_that_lags_behind_is_asked_now_and_then_only)
{
    enum {
        COUNT = 3000,
        LAG   = 40
    };
    struct trm_backend_stream *stream = on_stream();
    on.control->hold();
    for (uint64_t i = 1; i <= COUNT; i++) {
        ck_ok(mark_after(stream, i, 1));
        if (i <= LAG)
            continue;
        on.control->step(2);
        on.control->settle();
    }
    ck_assert_uint_le(on.control->calls("cuEventQuery"), COUNT / 48);
    ck_assert_uint_lt(events(), 200);
    finish(stream, COUNT);
}
END_TEST

/* A thread uses the first mark, which is complete, and does not know that yet. */
static struct cuda_mark *complete_first(struct trm_backend_stream *stream)
{
    CUresult result;
    on.control->hold();
    ck_ok(mark_after(stream, 1, 1));
    struct cuda_mark *mark = cuda_mark_acquire(stream, 1, &result);
    ck_assert_ptr_nonnull(mark);
    on.control->step(2);
    on.control->settle();
    return mark;
}

START_TEST(polling_goes_on_behind_a_mark_in_use)
{
    struct trm_backend_stream *stream = on_stream();
    struct cuda_mark *mark            = complete_first(stream);
    for (uint64_t i = 2; i <= 4; i++)
        ck_ok(mark_after(stream, i, 1));
    ck_assert_uint_eq(completed(stream), 1);
    ck_assert_uint_eq(completed(stream), 1);
    cuda_mark_release(mark);
    finish(stream, 4);
}
END_TEST

START_TEST(more_marks_fit_while_the_first_is_in_use)
{
    struct trm_backend_stream *stream = on_stream();
    struct cuda_mark *mark            = complete_first(stream);
    uint64_t i                        = 2;
    for (; i <= 40; i++) {
        on.control->step(2);
        ck_ok(mark_after(stream, i, 1));
    }
    on.control->settle();
    for (; i <= 200; i++)
        ck_ok(mark_after(stream, i, 1));
    ck_assert_uint_ge(completed(stream), 39);
    cuda_mark_release(mark);
    finish(stream, 200);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cuda marks");
    TCase *group = tcase_create("marks");
    tcase_add_checked_fixture(group, begin, end);
    tcase_add_test(group, marks_are_found_however_many_there_are);
    tcase_add_test(group, marks_that_are_waited_for_are_used_again);
    tcase_add_test(group, marks_without_waiters_are_reused);
    tcase_add_test(group, a_device_that_lags_behind_is_asked_now_and_then_only);
    tcase_add_test(group, polling_goes_on_behind_a_mark_in_use);
    tcase_add_test(group, more_marks_fit_while_the_first_is_in_use);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
