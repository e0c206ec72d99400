/* Waiting for any or all of several points.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#define MILLISECOND 1000000u
#define MOST 64

static struct trm_stream *streams[MOST];
static struct trm_point points[MOST];

/* `count` streams, each with a little work, and the points after it. */
static void make_work(struct trm_device *device, uint32_t first, uint32_t count)
{
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 4096);
    for (uint32_t i = first; i < first + count; i++) {
        streams[i] = make_stream(device);
        ck_ok(trm_fill(streams[i], trm_span_of(buffer, i * 64, 64), i, 1));
        ck_ok(trm_stream_mark(streams[i], &points[i]));
    }
    trm_buffer_destroy(buffer);
}

static struct trm_point held_point(uint32_t index, struct hold **hold)
{
    streams[index] = make_stream(the.device);
    *hold          = hold_begin(streams[index]);
    ck_ok(trm_stream_mark(streams[index], &points[index]));
    return points[index];
}

static bool nothing_held(void)
{
    if (hold_works())
        return false;
    skip("its streams cannot be held");
    return true;
}

/* ---- none and one ---- */

START_TEST(all_of_no_points_are_reached)
{
    ck_ok(trm_wait_all(NULL, 0, 0));
    ck_ok(trm_wait_all(NULL, 0, TRM_FOREVER));
    ck_ok(trm_wait_all(points, 0, TRM_FOREVER));
}
END_TEST

START_TEST(any_of_no_points_is_refused)
{
    uint32_t which = 5;
    ck_status(trm_wait_any(NULL, 0, 0, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_wait_any(points, 0, TRM_FOREVER, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(which, 5);
}
END_TEST

START_TEST(waiting_for_one_of_one_is_waiting_for_it)
{
    for (unsigned i = 0; i < 20; i++) {
        struct hold *hold = NULL;
        uint32_t which    = 5;
        held_point(0, &hold);
        hold_end_after(hold, 1);
        if (i % 2)
            ck_ok(trm_wait_all(points, 1, TRM_FOREVER));
        else
            ck_ok(trm_wait_any(points, 1, TRM_FOREVER, &which));
        ck_assert_uint_eq(which, i % 2 ? 5 : 0);
        ck_ok(trm_point_done(points[0]));
    }
}
END_TEST

/* ---- all ---- */

START_TEST(waiting_for_all_submits_and_waits_for_each)
{
    make_work(the.device, 0, MOST);
    ck_ok(trm_wait_all(points, MOST, TRM_FOREVER));
    for (int i = 0; i < MOST; i++)
        ck_ok(trm_point_done(points[i]));
}
END_TEST

START_TEST(waiting_for_all_waits_for_the_last)
{
    struct hold *hold = NULL;
    make_work(the.device, 0, 7);
    held_point(7, &hold);
    if (hold) {
        ck_status(trm_wait_all(points, 8, 0), TRM_ERROR_TIMEOUT);
        ck_status(trm_wait_all(points, 8, MILLISECOND), TRM_ERROR_TIMEOUT);
    }
    hold_end_after(hold, 30);
    ck_ok(trm_wait_all(points, 8, TRM_FOREVER));
    ck_ok(trm_point_done(points[7]));
}
END_TEST

START_TEST(waiting_for_all_gives_up_when_its_time_is_over)
{
    if (nothing_held())
        return;
    struct hold *holds[4];
    for (uint32_t i = 0; i < 4; i++)
        held_point(i, &holds[i]);
    uint64_t begin = now_ns();
    ck_status(trm_wait_all(points, 4, 50 * MILLISECOND), TRM_ERROR_TIMEOUT);
    uint64_t took = now_ns() - begin;
    ck_assert_uint_ge(took, 50 * MILLISECOND);
    ck_assert_uint_lt(took, LONG_NS); /* the time is that of all together */
    for (uint32_t i = 0; i < 4; i++)
        hold_end(holds[i]);
    ck_ok(trm_wait_all(points, 4, 60ull * 1000 * MILLISECOND));
}
END_TEST

START_TEST(the_same_point_may_be_given_many_times)
{
    struct hold *hold      = NULL;
    struct trm_point point = held_point(0, &hold);
    uint32_t which         = 99;
    for (int i = 0; i < MOST; i++)
        points[i] = point;
    if (hold)
        ck_status(trm_wait_any(points, MOST, MILLISECOND, &which), TRM_ERROR_TIMEOUT);
    hold_end_after(hold, 10);
    ck_ok(trm_wait_all(points, MOST, TRM_FOREVER));
    ck_ok(trm_wait_any(points, MOST, TRM_FOREVER, &which));
    ck_assert_uint_eq(which, 0);
}
END_TEST

START_TEST(several_points_of_one_stream_are_waited_for)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    uint32_t which            = 99;
    for (int i = 0; i < MOST; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), (uint64_t)i, 1));
        ck_ok(trm_stream_mark(the.stream, &points[MOST - 1 - i]));
    }
    ck_ok(trm_wait_any(points, MOST, TRM_FOREVER, &which));
    ck_assert_uint_lt(which, MOST);
    ck_ok(trm_wait_all(points, MOST, TRM_FOREVER));
    ck_ok(trm_wait_any(points, MOST, 0, &which));
    ck_assert_uint_eq(which, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- any ---- */

START_TEST(waiting_for_any_gives_the_lowest_that_is_reached)
{
    uint32_t which = 99;
    make_work(the.device, 0, 8);
    ck_ok(trm_wait_all(points, 8, TRM_FOREVER));
    ck_ok(trm_wait_any(points, 8, 0, &which));
    ck_assert_uint_eq(which, 0);
    ck_ok(trm_wait_any(points + 3, 5, TRM_FOREVER, &which));
    ck_assert_uint_eq(which, 0);
}
END_TEST

START_TEST(waiting_for_any_passes_over_those_that_are_not_reached)
{
    if (nothing_held())
        return;
    struct hold *hold = NULL;
    uint32_t which    = 99;
    held_point(0, &hold);
    points[1] = points[2] = points[0];
    make_work(the.device, 3, 2);
    ck_ok(trm_wait_all(points + 3, 2, TRM_FOREVER));
    ck_ok(trm_wait_any(points, 5, 0, &which));
    ck_assert_uint_eq(which, 3);
    which = 99;
    ck_ok(trm_wait_any(points, 5, TRM_FOREVER, &which));
    ck_assert_uint_eq(which, 3);
    ck_status(trm_point_done(points[0]), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_wait_all(points, 5, TRM_FOREVER));
}
END_TEST

START_TEST(waiting_for_any_returns_with_the_first)
{
    if (nothing_held())
        return;
    struct hold *first = NULL, *second = NULL;
    for (unsigned i = 0; i < scaled(20, 5); i++) {
        uint32_t which = 99;
        held_point(1, &first);
        held_point(0, &second);
        hold_end_after(first, 2);
        ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which));
        ck_assert_uint_eq(which, 1);
        ck_status(trm_point_done(points[0]), TRM_ERROR_TIMEOUT);
        hold_end(second);
        ck_ok(trm_wait_all(points, 2, TRM_FOREVER));
    }
}
END_TEST

START_TEST(waiting_for_any_gives_up_when_its_time_is_over)
{
    if (nothing_held())
        return;
    struct hold *holds[4];
    uint32_t which = 99;
    for (uint32_t i = 0; i < 4; i++)
        held_point(i, &holds[i]);
    ck_status(trm_wait_any(points, 4, 0, &which), TRM_ERROR_TIMEOUT);
    uint64_t begin = now_ns();
    ck_status(trm_wait_any(points, 4, 50 * MILLISECOND, &which), TRM_ERROR_TIMEOUT);
    uint64_t took = now_ns() - begin;
    ck_assert_uint_ge(took, 50 * MILLISECOND);
    ck_assert_uint_lt(took, LONG_NS);
    ck_assert_uint_eq(which, 99);
    for (uint32_t i = 0; i < 4; i++)
        hold_end(holds[i]);
    ck_ok(trm_wait_all(points, 4, TRM_FOREVER));
}
END_TEST

START_TEST(waiting_for_any_again_and_again_meets_every_point)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 4096);
    make_work(the.device, 0, 16);
    for (unsigned round = 0; round < scaled(500, 50); round++) {
        uint32_t left = 16, met = 0;
        uint32_t names[16];
        for (uint32_t i = 0; i < 16; i++) {
            names[i] = i;
            ck_ok(trm_fill(streams[i], trm_span_of(buffer, i * 64, 64), i, 1));
            ck_ok(trm_stream_mark(streams[i], &points[i]));
        }
        while (left > 0) {
            uint32_t which = 99;
            ck_ok(trm_wait_any(points, left, TRM_FOREVER, &which));
            ck_assert_uint_lt(which, left);
            met |= 1u << names[which];
            left--;
            points[which] = points[left];
            names[which]  = names[left];
        }
        ck_assert_uint_eq(met, 0xffff);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- of two devices ---- */

START_TEST(points_of_two_devices_are_waited_for_together)
{
    struct trm_device *device = second_device();
    uint32_t which            = 99;
    make_work(the.device, 0, 4);
    make_work(device, 4, 4);
    ck_ok(trm_wait_any(points, 8, TRM_FOREVER, &which));
    ck_assert_uint_lt(which, 8);
    ck_ok(trm_wait_all(points, 8, TRM_FOREVER));
    for (int i = 0; i < 8; i++)
        ck_ok(trm_point_done(points[i]));
}
END_TEST

START_TEST(any_of_two_devices_is_the_one_that_goes_on)
{
    if (nothing_held())
        return;
    struct trm_device *device = second_device();
    for (unsigned i = 0; i < scaled(20, 5); i++) {
        struct hold *hold = NULL;
        uint32_t which    = 99;
        held_point(0, &hold);
        make_work(device, 1, 1);
        ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which));
        ck_assert_uint_eq(which, 1);
        ck_status(trm_wait_all(points, 2, MILLISECOND), TRM_ERROR_TIMEOUT);
        hold_end_after(hold, 1);
        ck_ok(trm_wait_all(points, 2, TRM_FOREVER));
    }
}
END_TEST

/* ---- with streams that failed ---- */

START_TEST(waiting_for_all_gives_the_failure_of_a_stream)
{
    if (functions_missing())
        return;
    make_work(the.device, 0, 8);
    ck_ok(trm_wait_all(points, 8, TRM_FOREVER));
    struct hold *hold =
        hold_begin(streams[3]); /* so that the point can be marked before the failure is known */
    if (hold) {
        fail_stream(streams[3], 31);
        ck_ok(trm_stream_mark(streams[3], &points[3]));
        hold_end(hold);
        ck_status(trm_wait_all(points, 8, TRM_FOREVER), TRM_ERROR_KERNEL);
        ck_assert_int_eq(trm_last_error().native_code, 31);
    } else {
        fail_stream(streams[3], 31);
        ck_status(trm_stream_sync(streams[3]), TRM_ERROR_KERNEL);
    }
    ck_ok(trm_wait_all(points, 3, TRM_FOREVER));
    ck_ok(trm_wait_all(points + 4, 4, TRM_FOREVER));
}
END_TEST

START_TEST(a_failed_stream_counts_as_reached_when_any_is_waited_for)
{
    if (functions_missing() || nothing_held())
        return;
    struct hold *first = NULL, *second = NULL;
    uint32_t which = 99;
    streams[1]     = make_stream(the.device);
    first          = hold_begin(streams[1]);
    fail_stream(streams[1], 32);
    ck_ok(trm_stream_mark(streams[1], &points[1]));
    held_point(0, &second);
    hold_end(first);
    ck_status(trm_wait_any(points, 2, TRM_FOREVER, &which), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(which, 1);
    ck_assert_int_eq(trm_last_error().native_code, 32);
    which = 99;
    ck_status(trm_wait_any(points, 2, 0, &which), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(which, 1);
    hold_end(second);
    ck_ok(trm_point_wait(points[0], TRM_FOREVER));
    ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which)); /* the lowest counts */
    ck_assert_uint_eq(which, 0);
}
END_TEST

/* ---- points that are none ---- */

START_TEST(one_wrong_point_among_many_is_refused)
{
    uint32_t which = 99;
    make_work(the.device, 0, 8);
    struct trm_point right      = points[5];
    struct trm_stream *stream   = NULL;
    const struct trm_point none = {NULL, 1};
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_stream_mark(stream, &points[5]));
    trm_stream_destroy(stream);
    ck_status(trm_wait_all(points, 8, TRM_FOREVER), TRM_ERROR_INVALID_HANDLE);
    points[5] = none;
    ck_refused(trm_wait_all(points, 8, TRM_FOREVER));
    points[5] = right;
    points[5].value += 1000;
    ck_status(trm_wait_all(points, 8, TRM_FOREVER), TRM_ERROR_OUT_OF_RANGE);
    points[0].value += 1000;
    ck_status(trm_wait_any(points, 8, TRM_FOREVER, &which), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(which, 99);
}
END_TEST

START_TEST(a_thousand_points_are_waited_for)
{
    enum {
        COUNT = 1000
    };
    static struct trm_point many[COUNT];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, COUNT);
    uint32_t which            = COUNT;
    for (int i = 0; i < COUNT; i++) {
        struct trm_stream *stream = make_stream(the.device);
        ck_ok(trm_fill(stream, trm_span_of(buffer, (uint64_t)i, 1), 1, 1));
        ck_ok(trm_stream_mark(stream, &many[i]));
    }
    ck_ok(trm_wait_any(many, COUNT, TRM_FOREVER, &which));
    ck_assert_uint_lt(which, COUNT);
    ck_ok(trm_wait_all(many, COUNT, TRM_FOREVER));
    ck_ok(trm_wait_any(many, COUNT, 0, &which));
    ck_assert_uint_eq(which, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_wait(Suite *suite)
{
    TCase *group = group_make(suite, "waiting for any and all");
    CASE(group, all_of_no_points_are_reached);
    CASE(group, any_of_no_points_is_refused);
    CASE(group, waiting_for_one_of_one_is_waiting_for_it);
    CASE(group, waiting_for_all_submits_and_waits_for_each);
    CASE(group, waiting_for_all_waits_for_the_last);
    CASE(group, waiting_for_all_gives_up_when_its_time_is_over);
    CASE(group, the_same_point_may_be_given_many_times);
    CASE(group, several_points_of_one_stream_are_waited_for);
    CASE(group, waiting_for_any_gives_the_lowest_that_is_reached);
    CASE(group, waiting_for_any_passes_over_those_that_are_not_reached);
    CASE(group, waiting_for_any_returns_with_the_first);
    CASE(group, waiting_for_any_gives_up_when_its_time_is_over);
    CASE(group, waiting_for_any_again_and_again_meets_every_point);
    CASE(group, points_of_two_devices_are_waited_for_together);
    CASE(group, any_of_two_devices_is_the_one_that_goes_on);
    CASE(group, waiting_for_all_gives_the_failure_of_a_stream);
    CASE(group, a_failed_stream_counts_as_reached_when_any_is_waited_for);
    CASE(group, one_wrong_point_among_many_is_refused);
    CASE(group, a_thousand_points_are_waited_for);
}
