/* Waiting for one of several points, and for all.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "base/futex.h"
#include "core/stream/stream_object.h"
#include "tests/unit/counting.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define MANY 24 /* more than fit on the stack */
#define MILLISECOND 1000000u

static struct fake fake;
static struct counting counting;
static struct trm_stream *streams[MANY];
static struct trm_point points[MANY];

/* The ways of waiting: by the backend, by notifications, by watcher threads. */
static const uint32_t ways[] = {FAKE_ALL, FAKE_ALL & ~FAKE_WAIT_ANY, 0};
#define WAYS 3

static void begin(int way)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
    };
    memset(&counting, 0, sizeof(counting));
    fake_init(&fake, ways[way], &desc);
    fake_open(&fake);
    for (int i = 0; i < MANY; i++) {
        OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &streams[i]));
        OK(fake_enqueue(streams[i]));
        OK(trm_stream_mark(streams[i], &points[i]));
    }
}

static void end(void)
{
    fake_let_run(&fake);
    for (int i = 0; i < MANY; i++)
        trm_stream_destroy(streams[i]);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}

START_TEST(any_point_that_is_reached_is_found_at_once)
{
    uint32_t which = 99;
    begin(_i);
    fake_run(&fake, streams[5], 1);
    fake_run(&fake, streams[3], 1);
    OK(trm_wait_any(points, 8, 0, &which));
    ck_assert_uint_eq(which, 3);
    OK(trm_wait_any(points, MANY, TRM_FOREVER, &which));
    ck_assert_uint_eq(which, 3);
    end();
}
END_TEST

START_TEST(waiting_for_any_point_times_out)
{
    uint32_t which = 99;
    begin(_i);
    ck_assert_int_eq(trm_wait_any(points, 8, 0, &which), TRM_ERROR_TIMEOUT);
    uint64_t start = base_now();
    ck_assert_int_eq(trm_wait_any(points, MANY, 5 * MILLISECOND, &which), TRM_ERROR_TIMEOUT);
    ck_assert_uint_ge(base_now() - start, 5 * MILLISECOND);
    ck_assert_uint_eq(which, 99);
    end();
}
END_TEST

static void *reach_later(void *argument)
{
    usleep(20000);
    fake_run(&fake, *(struct trm_stream **)argument, 1);
    return NULL;
}

START_TEST(waiting_for_any_point_ends_with_the_first_one)
{
    uint32_t which = 99;
    pthread_t thread;
    begin(_i);
    pthread_create(&thread, NULL, reach_later, &streams[7]);
    OK(trm_wait_any(points, MANY, TRM_FOREVER, &which));
    ck_assert_uint_eq(which, 7);
    pthread_join(thread, NULL);
    end();
}
END_TEST

static void *fail_later(void *argument)
{
    usleep(20000);
    fake_fail(&fake, *(struct trm_stream **)argument, TRM_ERROR_KERNEL, 3, "the kernel fell over");
    return NULL;
}

START_TEST(a_stream_that_fails_counts_as_reached_and_says_why)
{
    uint32_t which = 99;
    pthread_t thread;
    begin(_i);
    pthread_create(&thread, NULL, fail_later, &streams[2]);
    ck_assert_int_eq(trm_wait_any(points, 4, TRM_FOREVER, &which), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(which, 2);
    ck_assert_str_eq(trm_last_error().sentence, "the kernel fell over");
    pthread_join(thread, NULL);
    /* The lowest index: the points before it are not reached. */
    ck_assert_int_eq(trm_wait_all(points, 4, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_wait_all(&points[2], 2, TRM_FOREVER), TRM_ERROR_KERNEL);
    end();
}
END_TEST

START_TEST(points_that_can_never_be_are_refused)
{
    uint32_t which           = 99;
    struct trm_point never   = {streams[0], 1000};
    struct trm_point nowhere = {NULL, 1};
    begin(0);
    never.stream = streams[0];
    ck_assert_int_eq(trm_wait_any(points, 0, 0, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_wait_any(NULL, 1, 0, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_wait_any(points, 1, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_wait_any(&never, 1, 0, &which), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_point_wait(never, TRM_FOREVER), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_point_done(never), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_wait_all(&never, 1, TRM_FOREVER), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_wait_any(&nowhere, 1, 0, &which), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_point_wait(nowhere, 0), TRM_ERROR_INVALID_HANDLE);
    points[20] = never;
    ck_assert_int_eq(trm_wait_any(points, MANY, 0, &which), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(which, 99);
    end();
}
END_TEST

START_TEST(without_memory_to_wait_with_waiting_is_refused)
{
    uint32_t which = 99;
    begin(_i);
    counting.fail_from = 1;
    ck_assert_int_eq(trm_wait_any(points, MANY, MILLISECOND, &which), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    ck_assert_int_eq(trm_wait_any(points, MANY, MILLISECOND, &which), TRM_ERROR_TIMEOUT);
    end();
}
END_TEST

START_TEST(notifications_that_come_after_the_waiting_find_nothing_broken)
{
    uint32_t which = 99;
    begin(1);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(trm_wait_any(points, MANY, 1000, &which), TRM_ERROR_TIMEOUT);
    end();
}
END_TEST

START_TEST(a_backend_that_cannot_notify_just_then_is_an_error)
{
    uint32_t which = 99;
    begin(1);
    atomic_store(&fake.fail_next[FAKE_CALL_NOTIFY], TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(trm_wait_any(points, 3, TRM_FOREVER, &which), TRM_ERROR_OUT_OF_HOST_MEMORY);
    end();
}
END_TEST

START_TEST(waiting_for_all_points_ends_with_the_last_one)
{
    begin(_i);
    OK(trm_wait_all(NULL, 0, 0));
    ck_assert_int_eq(trm_wait_all(NULL, 1, 0), TRM_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < MANY - 1; i++)
        fake_run(&fake, streams[i], 1);
    OK(trm_wait_all(points, MANY - 1, 0));
    ck_assert_int_eq(trm_wait_all(points, MANY, 0), TRM_ERROR_TIMEOUT);
    uint64_t start = base_now();
    ck_assert_int_eq(trm_wait_all(points, MANY, 5 * MILLISECOND), TRM_ERROR_TIMEOUT);
    ck_assert_uint_ge(base_now() - start, 5 * MILLISECOND);
    pthread_t thread;
    pthread_create(&thread, NULL, reach_later, &streams[MANY - 1]);
    OK(trm_wait_all(points, MANY, TRM_FOREVER));
    pthread_join(thread, NULL);
    end();
}
END_TEST

START_TEST(points_of_two_contexts_cannot_be_waited_for_together)
{
    struct fake second;
    struct trm_stream *other;
    struct trm_point pair[2];
    uint32_t which;
    begin(0);
    fake_init(&second, FAKE_ALL, NULL);
    fake_open(&second);
    OK(trm_stream_create(second.device, TRM_STREAM_ANY, 0, &other));
    pair[0] = points[0];
    OK(trm_stream_mark(other, &pair[1]));
    ck_assert_uint_eq(pair[1].value, 0);
    OK(trm_point_wait(pair[1], 0));
    ck_assert_int_eq(trm_wait_any(pair, 2, 0, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_wait_all(pair, 2, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_stream_wait(other, pair[0]), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_destroy(other);
    fake_fini(&second);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("wait_any");
    TCase *all   = tcase_create("wait_any");
    tcase_add_loop_test(all, any_point_that_is_reached_is_found_at_once, 0, WAYS);
    tcase_add_loop_test(all, waiting_for_any_point_times_out, 0, WAYS);
    tcase_add_loop_test(all, waiting_for_any_point_ends_with_the_first_one, 0, WAYS);
    tcase_add_loop_test(all, a_stream_that_fails_counts_as_reached_and_says_why, 0, WAYS);
    tcase_add_test(all, points_that_can_never_be_are_refused);
    tcase_add_loop_test(all, without_memory_to_wait_with_waiting_is_refused, 0, WAYS);
    tcase_add_test(all, notifications_that_come_after_the_waiting_find_nothing_broken);
    tcase_add_test(all, a_backend_that_cannot_notify_just_then_is_an_error);
    tcase_add_loop_test(all, waiting_for_all_points_ends_with_the_last_one, 0, WAYS);
    tcase_add_test(all, points_of_two_contexts_cannot_be_waited_for_together);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
