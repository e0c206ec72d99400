/* Points: marking, waiting with every kind of time-out, asking, waiting on the device.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MILLISECOND 1000000u

static struct trm_point mark(struct trm_stream *stream)
{
    struct trm_point point = {NULL, 0};
    ck_ok(trm_stream_mark(stream, &point));
    ck_assert_ptr_eq(point.stream, stream);
    return point;
}

static struct trm_point fill_and_mark(struct trm_stream *stream, struct trm_buffer *buffer)
{
    ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 1));
    return mark(stream);
}

static void set_flag(void *user, int32_t status)
{
    (void)status;
    atomic_store((atomic_int *)user, 1);
}

/* ---- marking ---- */

START_TEST(a_point_of_a_stream_without_work_is_reached)
{
    struct trm_stream *stream = make_stream(the.device);
    struct trm_point point    = mark(stream);
    ck_ok(trm_point_done(point));
    ck_ok(trm_point_wait(point, 0));
    ck_ok(trm_point_wait(point, TRM_FOREVER));
}
END_TEST

START_TEST(later_points_have_no_lower_numbers)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    uint64_t last             = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct trm_point point = fill_and_mark(the.stream, buffer);
        ck_assert_uint_gt(point.value, last);
        last = point.value;
        ck_assert_uint_ge(mark(the.stream).value, last);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_reached_point_stays_reached)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_point first    = fill_and_mark(the.stream, buffer);
    ck_ok(trm_point_wait(first, TRM_FOREVER));
    for (unsigned i = 0; i < 1000; i++) {
        fill_and_mark(the.stream, buffer);
        ck_ok(trm_point_done(first));
        ck_ok(trm_point_wait(first, 0));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- waiting ---- */

START_TEST(waiting_without_time_answers_at_once)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct hold *hold      = hold_begin(the.stream);
    struct trm_point point = mark(the.stream);
    for (int i = 0; i < 100; i++)
        ck_status(trm_point_wait(point, 0), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    ck_ok(trm_point_wait(point, 0));
}
END_TEST

START_TEST(asking_for_a_point_does_not_wait)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct hold *hold      = hold_begin(the.stream);
    struct trm_point point = mark(the.stream);
    for (int i = 0; i < 100; i++)
        ck_status(trm_point_done(point), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    ck_ok(trm_point_done(point));
}
END_TEST

START_TEST(waiting_gives_up_when_its_time_is_over)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    static const uint64_t times[] = {1, 1000, MILLISECOND, 50 * MILLISECOND};
    struct hold *hold             = hold_begin(the.stream);
    struct trm_point point        = mark(the.stream);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        uint64_t begin = now_ns();
        ck_status(trm_point_wait(point, times[i]), TRM_ERROR_TIMEOUT);
        uint64_t took = now_ns() - begin;
        ck_assert_uint_ge(took, times[i]); /* never too early */
        ck_assert_uint_lt(took, LONG_NS);
    }
    hold_end(hold);
    ck_ok(trm_point_wait(point, 60ull * 1000 * MILLISECOND));
}
END_TEST

START_TEST(waiting_with_any_time_out_ends_when_the_point_is_reached)
{
    static const uint64_t times[] = {60ull * 1000 * MILLISECOND,
                                     INT64_MAX,
                                     (uint64_t)INT64_MAX + 1,
                                     UINT64_MAX - 1,
                                     TRM_FOREVER - 2,
                                     TRM_FOREVER};
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct hold *hold      = hold_begin(the.stream);
        struct trm_point point = fill_and_mark(the.stream, buffer);
        hold_end_after(hold, 20);
        ck_ok(trm_point_wait(point, times[i]));
        ck_ok(trm_point_done(point));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_point_does_not_wait_for_what_comes_after_it)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (unsigned i = 0; i < scaled(50, 10); i++) {
        struct trm_point before = fill_and_mark(the.stream, buffer);
        struct hold *hold       = hold_begin(the.stream);
        struct trm_point after  = fill_and_mark(the.stream, buffer);
        ck_ok(trm_point_wait(before, TRM_FOREVER));
        if (hold)
            ck_status(trm_point_done(after), TRM_ERROR_TIMEOUT);
        hold_end(hold);
        ck_ok(trm_point_wait(after, TRM_FOREVER));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

struct waiter {
    struct trm_point point;
    pthread_t thread;
    int32_t status;
};

static void *wait_for_ever(void *user)
{
    struct waiter *waiter = user;
    waiter->status        = trm_point_wait(waiter->point, TRM_FOREVER);
    return NULL;
}

START_TEST(many_threads_wait_for_one_point)
{
    for (unsigned round = 0; round < scaled(20, 5); round++) {
        struct waiter waiters[16];
        struct hold *hold      = hold_begin(the.stream);
        struct trm_point point = mark(the.stream);
        for (int i = 0; i < 16; i++) {
            waiters[i] = (struct waiter){.point = point, .status = 1};
            ck_assert_int_eq(pthread_create(&waiters[i].thread, NULL, wait_for_ever, &waiters[i]), 0);
        }
        hold_end_after(hold, 5);
        for (int i = 0; i < 16; i++) {
            pthread_join(waiters[i].thread, NULL);
            ck_assert_int_eq(waiters[i].status, TRM_OK);
        }
        holds_open_all();
    }
}
END_TEST

START_TEST(many_threads_wait_for_many_points_of_one_stream)
{
    struct waiter waiters[16];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct hold *hold         = hold_begin(the.stream);
    for (int i = 0; i < 16; i++)
        waiters[i] = (struct waiter){.point = fill_and_mark(the.stream, buffer), .status = 1};
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(pthread_create(&waiters[15 - i].thread, NULL, wait_for_ever, &waiters[15 - i]), 0);
    hold_end_after(hold, 10);
    for (int i = 0; i < 16; i++) {
        pthread_join(waiters[i].thread, NULL);
        ck_assert_int_eq(waiters[i].status, TRM_OK);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(one_after_the_other_thousands_of_points_are_waited_for)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (unsigned i = 0; i < scaled(20000, 1000); i++)
        ck_ok(trm_point_wait(fill_and_mark(the.stream, buffer), TRM_FOREVER));
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- points that are none ---- */

START_TEST(a_number_that_was_never_marked_is_out_of_range)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_point point    = fill_and_mark(the.stream, buffer);
    struct trm_point later    = {point.stream, point.value + 1000000};
    struct trm_point last     = {point.stream, UINT64_MAX};
    struct trm_stream *other  = make_stream(the.device);
    uint32_t which            = 9;
    ck_status(trm_point_wait(later, 0), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_point_wait(later, TRM_FOREVER), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_point_done(later), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_point_wait(last, TRM_FOREVER), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_stream_wait(other, last), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_wait_all(&later, 1, TRM_FOREVER), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_wait_any(&later, 1, TRM_FOREVER, &which), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(which, 9);
    ck_ok(trm_stream_sync(other));
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_points_of_a_destroyed_stream_are_stale)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_point point = mark(stream);
    trm_stream_destroy(stream);
    ck_status(trm_point_wait(point, 0), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_point_done(point), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_stream_wait(the.stream, point), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

/* ---- descriptors ---- */

static bool is_readable(int32_t descriptor, int timeout_ms)
{
    struct pollfd asked = {.fd = descriptor, .events = POLLIN};
    int count           = poll(&asked, 1, timeout_ms);
    ck_assert_int_ge(count, 0);
    return count == 1 && (asked.revents & POLLIN) != 0;
}

START_TEST(the_descriptor_of_a_reached_point_is_readable_at_once)
{
    int32_t descriptor     = -1;
    struct trm_point point = mark(the.stream);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_point_fd(point, &descriptor));
    ck_assert(is_readable(descriptor, 0));
    ck_assert_int_eq(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    ck_assert_int_eq(close(descriptor), 0);
}
END_TEST

START_TEST(a_descriptor_becomes_readable_when_its_point_is_reached)
{
    int32_t descriptor = -1;
    uint64_t count     = 0;
    struct trm_buffer *buffer;
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    buffer                 = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct hold *hold      = hold_begin(the.stream);
    struct trm_point point = fill_and_mark(the.stream, buffer);
    ck_ok(trm_point_fd(point, &descriptor));
    ck_assert(!is_readable(descriptor, 0));
    hold_end(hold);
    ck_assert(is_readable(descriptor, -1));
    ck_ok(trm_point_done(point));
    ck_assert_int_eq(read(descriptor, &count, sizeof(count)), sizeof(count));
    ck_assert_uint_eq(count, 1);
    ck_assert(!is_readable(descriptor, 0));
    ck_assert_int_eq(close(descriptor), 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* The number then names another file. */
START_TEST(a_descriptor_may_be_closed_before_its_point_is_reached)
{
    int32_t descriptor = -1;
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct hold *hold      = hold_begin(the.stream);
    struct trm_point point = mark(the.stream);
    ck_ok(trm_point_fd(point, &descriptor));
    ck_assert_int_eq(close(descriptor), 0);
    int other = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ck_assert_int_eq(other, descriptor);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_point_fd(point, &descriptor));
    ck_assert(is_readable(descriptor, -1));
    ck_assert(!is_readable(other, 0));
    ck_assert_int_eq(close(other), 0);
    ck_assert_int_eq(close(descriptor), 0);
}
END_TEST

#define MANY 200

START_TEST(an_epoll_instance_collects_many_points)
{
    struct epoll_event events[16];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_point points[MANY];
    int32_t descriptors[MANY];
    uint32_t seen = 0;
    int loop      = epoll_create1(EPOLL_CLOEXEC);
    ck_assert_int_ge(loop, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data = {.u32 = i}};
        points[i]                = fill_and_mark(the.stream, buffer);
        ck_ok(trm_point_fd(points[i], &descriptors[i]));
        ck_assert_int_eq(epoll_ctl(loop, EPOLL_CTL_ADD, descriptors[i], &event), 0);
    }
    while (seen < MANY) {
        int count = epoll_wait(loop, events, 16, -1);
        ck_assert_int_gt(count, 0);
        for (int i = 0; i < count; i++, seen++)
            ck_ok(trm_point_done(points[events[i].data.u32]));
    }
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_int_eq(close(descriptors[i]), 0);
    ck_assert_int_eq(close(loop), 0);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_point_of_no_stream_has_no_descriptor)
{
    int32_t descriptor     = -2;
    struct trm_point point = mark(the.stream);
    ck_status(trm_point_fd(point, NULL), TRM_ERROR_INVALID_ARGUMENT);
    point.value += 1000;
    ck_status(trm_point_fd(point, &descriptor), TRM_ERROR_OUT_OF_RANGE);
    point = (struct trm_point){NULL, 1};
    ck_status(trm_point_fd(point, &descriptor), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(descriptor, -2);
}
END_TEST

/* ---- streams that wait ---- */

START_TEST(a_stream_waits_for_a_point_of_another)
{
    struct trm_stream *second = make_stream(the.device);
    for (unsigned i = 0; i < scaled(50, 10); i++) {
        atomic_int flag   = 0;
        struct hold *hold = hold_begin(the.stream);
        ck_ok(trm_stream_callback(the.stream, set_flag, &flag));
        ck_ok(trm_stream_wait(second, mark(the.stream)));
        struct trm_point point = mark(second);
        if (hold)
            ck_status(trm_point_wait(point, MILLISECOND), TRM_ERROR_TIMEOUT);
        hold_end(hold);
        ck_ok(trm_point_wait(point, TRM_FOREVER));
        ck_assert_int_eq(atomic_load(&flag), 1);
    }
}
END_TEST

START_TEST(a_stream_waits_for_a_point_of_another_device)
{
    struct trm_device *device = second_device();
    struct trm_stream *second = make_stream(device);
    for (unsigned i = 0; i < scaled(50, 10); i++) {
        atomic_int flag   = 0;
        struct hold *hold = hold_begin(the.stream);
        ck_ok(trm_stream_callback(the.stream, set_flag, &flag));
        struct trm_point first = mark(the.stream);
        hold_end_after(hold, 1);
        ck_ok(trm_stream_wait(second, first));
        ck_ok(trm_stream_sync(second));
        ck_assert_int_eq(atomic_load(&flag), 1);
        holds_open_all();
    }
}
END_TEST

START_TEST(a_stream_may_wait_for_a_reached_point_and_for_its_own)
{
    struct trm_stream *second = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_point reached  = fill_and_mark(the.stream, buffer);
    ck_ok(trm_point_wait(reached, TRM_FOREVER));
    ck_ok(trm_stream_wait(second, reached));
    struct hold *hold    = hold_begin(the.stream);
    struct trm_point own = fill_and_mark(the.stream, buffer);
    ck_ok(trm_stream_wait(the.stream, own));
    ck_ok(trm_stream_wait(the.stream, reached));
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_sync(second));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_wait_for_unsubmitted_work_submits_it)
{
    struct trm_stream *streams[8];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (int i = 0; i < 8; i++) {
        streams[i] = make_stream(the.device);
        if (i > 0)
            ck_ok(trm_stream_wait(streams[i], mark(streams[i - 1])));
        ck_ok(trm_fill(streams[i], trm_span_whole(buffer), (uint64_t)i, 1));
    }
    ck_ok(trm_point_wait(mark(streams[7]), TRM_FOREVER)); /* the others are not touched again */
    uint8_t got[64];
    get(the.stream, buffer, 0, got, sizeof(got));
    ck_assert_uint_eq(got[0], 7);
    ck_assert_uint_eq(got[63], 7);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_point(Suite *suite)
{
    TCase *group = group_make(suite, "points");
    CASE(group, a_point_of_a_stream_without_work_is_reached);
    CASE(group, later_points_have_no_lower_numbers);
    CASE(group, a_reached_point_stays_reached);
    CASE(group, waiting_without_time_answers_at_once);
    CASE(group, asking_for_a_point_does_not_wait);
    CASE(group, waiting_gives_up_when_its_time_is_over);
    CASE(group, waiting_with_any_time_out_ends_when_the_point_is_reached);
    CASE(group, a_point_does_not_wait_for_what_comes_after_it);
    CASE(group, many_threads_wait_for_one_point);
    CASE(group, many_threads_wait_for_many_points_of_one_stream);
    CASE(group, one_after_the_other_thousands_of_points_are_waited_for);
    CASE(group, a_number_that_was_never_marked_is_out_of_range);
    CASE(group, the_points_of_a_destroyed_stream_are_stale);
    CASE(group, the_descriptor_of_a_reached_point_is_readable_at_once);
    CASE(group, a_descriptor_becomes_readable_when_its_point_is_reached);
    CASE(group, a_descriptor_may_be_closed_before_its_point_is_reached);
    CASE(group, an_epoll_instance_collects_many_points);
    CASE(group, a_point_of_no_stream_has_no_descriptor);
    CASE(group, a_stream_waits_for_a_point_of_another);
    CASE(group, a_stream_waits_for_a_point_of_another_device);
    CASE(group, a_stream_may_wait_for_a_reached_point_and_for_its_own);
    CASE(group, a_wait_for_unsubmitted_work_submits_it);
}
