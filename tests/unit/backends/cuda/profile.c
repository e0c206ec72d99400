/* The cuda backend's timestamps: in host time, in the order of the stream, comparable between streams.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/profile/profile.h"

#include <unistd.h>

#include "backends/cuda/profile/clock.h"
#include "tests/unit/backends/cuda/fixture.h"
#include "tests/unit/runner.h"

static struct trm_backend_stream *stream;
static uint64_t value;

static void set_up(void)
{
    on_open("delay=0");
    stream = on_stream();
    value  = 0;
}

static void tear_down(void)
{
    cuda_stream_ops.destroy(stream);
    on_close();
}

static struct trm_backend_stamp *make_stamp(void)
{
    struct trm_backend_stamp *stamp = NULL;
    ck_assert_msg(cuda_profile_ops.stamp_create(on.device, &stamp) == TRM_OK, "%s", fake.sentence);
    return stamp;
}

static void record(struct trm_backend_stamp *stamp)
{
    ck_assert_msg(cuda_profile_ops.stamp_record(stream, ++value, stamp) == TRM_OK, "%s", fake.sentence);
}

static uint64_t time_of(struct trm_backend_stamp *stamp)
{
    uint64_t time = 0;
    ck_assert_msg(cuda_profile_ops.stamp_read(stamp, &time) == TRM_OK, "%s", fake.sentence);
    return time;
}

static uint64_t events(void)
{
    struct cuda_standin_account account;
    on.control->account(&account);
    return account.events;
}

/* The driver's times are exact to half a microsecond. How well the host's are known depends on how often a
 * busy computer lets the test run. */
#define GRAIN 1000u
#define HOST_GRAIN 50000000u

START_TEST(a_stamp_is_the_hosts_time_between_before_and_after)
{
    struct trm_backend_stamp *stamp = make_stamp();
    for (int i = 0; i < 50; i++) {
        uint64_t before = trm_util_now();
        record(stamp);
        on_wait(stream, value);
        uint64_t after = trm_util_now(), time = time_of(stamp);
        ck_assert_msg(time + HOST_GRAIN >= before, "%lld ns before it was recorded",
                      (long long)(before - time));
        ck_assert_msg(time <= after + HOST_GRAIN, "%lld ns after it was complete", (long long)(time - after));
    }
    cuda_profile_ops.stamp_destroy(stamp);
}
END_TEST

START_TEST(the_time_that_was_read_once_is_read_again)
{
    struct trm_backend_stamp *stamp = make_stamp(), *later = make_stamp();
    record(stamp);
    on_wait(stream, value);
    uint64_t time = time_of(stamp);
    for (int i = 0; i < 20; i++) {
        record(later);
        on_wait(stream, value);
        ck_assert_uint_ge(time_of(later), time);
        ck_assert_uint_eq(time_of(stamp), time);
    }
    cuda_profile_ops.stamp_destroy(stamp);
    cuda_profile_ops.stamp_destroy(later);
}
END_TEST

START_TEST(stamps_of_a_stream_are_in_its_order)
{
    struct trm_backend_stamp *stamps[100];
    uint64_t time = 0;
    for (int i = 0; i < 100; i++) {
        stamps[i] = make_stamp();
        record(stamps[i]);
    }
    on_wait(stream, value);
    for (int i = 0; i < 100; i++) {
        uint64_t next = time_of(stamps[i]);
        ck_assert_uint_ge(next, time);
        time = next;
        cuda_profile_ops.stamp_destroy(stamps[i]);
    }
}
END_TEST

START_TEST(stamps_of_two_streams_are_on_one_clock)
{
    struct trm_backend_stream *first = stream, *second = on_stream();
    struct trm_backend_stamp *stamps[2] = {make_stamp(), make_stamp()};
    uint64_t time = 0, values[2] = {0, 0};
    for (int i = 0; i < 40; i++) {
        int turn = i % 2;
        stream   = turn == 0 ? first : second;
        value    = values[turn];
        record(stamps[turn]);
        on_wait(stream, value);
        values[turn]  = value;
        uint64_t next = time_of(stamps[turn]);
        ck_assert_msg(next + GRAIN >= time, "%lld ns before what was complete", (long long)(time - next));
        time = next;
    }
    cuda_profile_ops.stamp_destroy(stamps[0]);
    cuda_profile_ops.stamp_destroy(stamps[1]);
    cuda_stream_ops.destroy(second);
    stream = first;
}
END_TEST

START_TEST(a_stamp_that_is_recorded_anew_has_no_time_at_that_moment)
{
    struct trm_backend_stamp *stamp = make_stamp();
    uint64_t time                   = 0;
    record(stamp);
    on_wait(stream, value);
    time_of(stamp);
    on.control->hold();
    record(stamp);
    ck_assert_int_eq(cuda_profile_ops.stamp_read(stamp, &time), TRM_ERROR_TIMEOUT);
    ck_says("not complete yet");
    on.control->release();
    on_wait(stream, value);
    time_of(stamp);
    cuda_profile_ops.stamp_destroy(stamp);
}
END_TEST

/* Each thread on a stream of its own. */
static void *record_and_read(void *unused)
{
    struct trm_backend_stream *own  = on_stream();
    struct trm_backend_stamp *stamp = make_stamp();
    uint64_t last                   = 0;
    void *wrong                     = NULL;
    for (uint64_t i = 1; i <= 100 && wrong == NULL; i++) {
        uint64_t time = 0;
        if (cuda_profile_ops.stamp_record(own, i, stamp) != TRM_OK ||
            cuda_stream_ops.wait(own, i, UINT64_MAX) != TRM_OK ||
            cuda_profile_ops.stamp_read(stamp, &time) != TRM_OK || time < last)
            wrong = own;
        last = time;
    }
    cuda_profile_ops.stamp_destroy(stamp);
    cuda_stream_ops.destroy(own);
    return wrong != NULL ? wrong : unused;
}

START_TEST(time_does_not_run_backwards_on_any_stream_while_threads_read_it)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, record_and_read, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

/* Once there have been as many stamps, creating and recording one creates no event. */
START_TEST(events_are_used_again)
{
    struct trm_backend_stamp *stamps[8];
    uint64_t made = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 8; i++) {
            stamps[i] = make_stamp();
            record(stamps[i]);
        }
        on_wait(stream, value);
        for (int i = 0; i < 8; i++)
            cuda_profile_ops.stamp_destroy(stamps[i]);
        made = round == 0 ? events() : made;
        ck_assert_uint_le(events(), made + CUDA_CLOCK_SEGMENTS); /* bases are made as time passes */
    }
}
END_TEST

/* The internal stream stands still: bases are not complete when they are needed. */
START_TEST(a_base_that_is_not_complete_yet_is_not_waited_for)
{
    struct trm_backend_stamp *stamp = make_stamp();
    record(stamp);
    on_wait(stream, value);
    uint64_t time = time_of(stamp);
    on.control->hold();
    usleep(20000); /* the first bases are soon old */
    ck_assert_uint_eq(time_of(stamp), time);
    on.control->release();
    ck_assert_uint_eq(time_of(stamp), time);
    cuda_profile_ops.stamp_destroy(stamp);
}
END_TEST

/* A failed call changes nothing: the next stamp is read. */
START_TEST(every_call_of_the_driver_may_fail)
{
    static const char *const functions[] = {"cuEventCreate", "cuEventRecord", "cuEventQuery",
                                            "cuEventElapsedTime"};
    struct trm_backend_stamp *stamp      = make_stamp();
    record(stamp);
    on_wait(stream, value);
    for (int i = 0; i < 4; i++) {
        uint64_t time = 0;
        on_fault(functions[i], "CUDA_ERROR_OUT_OF_MEMORY");
        int32_t status = cuda_profile_ops.stamp_read(stamp, &time);
        ck_assert_msg(status == TRM_OK || status == TRM_ERROR_OUT_OF_DEVICE_MEMORY, "%s gives %d",
                      functions[i], (int)status);
        ck_assert_int_eq(on.control->arm(NULL), 0);
        ck_assert_uint_gt(time_of(stamp), 0);
    }
    cuda_profile_ops.stamp_destroy(stamp);
}
END_TEST

START_TEST(making_and_recording_may_fail)
{
    struct trm_backend_stamp *stamp = NULL;
    on_fault("cuEventCreate", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_assert_int_eq(cuda_profile_ops.stamp_create(on.device, &stamp), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(stamp);
    for (uint64_t i = 1; i <= 2; i++) {
        fake.refuse_at = fake.calls + 1;
        int32_t status = cuda_profile_ops.stamp_create(on.device, &stamp);
        if (status != TRM_OK)
            ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        else
            cuda_profile_ops.stamp_destroy(stamp);
        fake.refuse_at = 0;
    }
    stamp = make_stamp();
    record(stamp); /* and the first base */
    on_wait(stream, value);
    time_of(stamp);
    ck_assert_int_eq(on.control->arm("cuEventRecord:1:on:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    ck_assert_int_ne(cuda_profile_ops.stamp_record(stream, value + 1, stamp), TRM_OK);
    ck_assert_int_eq(on.control->arm(NULL), 0);
    ck_says("cuEventRecord");
    cuda_profile_ops.stamp_destroy(stamp);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("profile");
    TCase *group = tcase_create("stamps");
    tcase_add_checked_fixture(group, set_up, tear_down);
    tcase_add_test(group, a_stamp_is_the_hosts_time_between_before_and_after);
    tcase_add_test(group, the_time_that_was_read_once_is_read_again);
    tcase_add_test(group, stamps_of_a_stream_are_in_its_order);
    tcase_add_test(group, stamps_of_two_streams_are_on_one_clock);
    tcase_add_test(group, a_stamp_that_is_recorded_anew_has_no_time_at_that_moment);
    tcase_add_test(group, time_does_not_run_backwards_on_any_stream_while_threads_read_it);
    tcase_add_test(group, events_are_used_again);
    tcase_add_test(group, a_base_that_is_not_complete_yet_is_not_waited_for);
    tcase_add_test(group, every_call_of_the_driver_may_fail);
    tcase_add_test(group, making_and_recording_may_fail);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
