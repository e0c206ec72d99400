/* Signals: waits that signals interrupt constantly, and signals that are delivered to the program's threads.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#define MILLISECOND 1000000u
#define EVERY_US 100

static atomic_uint signals;
static atomic_int wrong_thread;
static pthread_t own_thread;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
    if (!pthread_equal(pthread_self(), own_thread))
        atomic_store(&wrong_thread, 1);
}

/* A signal every 100 microseconds, whose handler does not restart system calls. */
static void storm_begin(void)
{
    struct sigaction action = {.sa_handler = count_signal};
    struct itimerval timer  = {{0, EVERY_US}, {0, EVERY_US}};
    own_thread              = pthread_self();
    atomic_store(&signals, 0);
    atomic_store(&wrong_thread, 0);
    sigemptyset(&action.sa_mask);
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void storm_end(void)
{
    struct itimerval none = {{0, 0}, {0, 0}};
    ck_assert_int_eq(setitimer(ITIMER_REAL, &none, NULL), 0);
    signal(SIGALRM, SIG_IGN);
    ck_assert_uint_gt(atomic_load(&signals), 0);
}

/* ---- the storm ---- */

START_TEST(waits_survive_a_storm_of_signals)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 10000);
    struct trm_stream *second = make_stream(the.device);
    struct trm_event *event   = NULL;
    ck_ok(trm_event_create(the.device, 0, &event));
    storm_begin();
    for (unsigned i = 0; i < scaled(30, 8); i++) {
        struct trm_point points[2];
        uint32_t which    = 9;
        struct hold *hold = hold_begin(the.stream);
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 1));
        ck_ok(trm_stream_mark(the.stream, &points[0]));
        ck_ok(trm_event_record(event, the.stream));
        ck_ok(trm_stream_wait(second, points[0]));
        ck_ok(trm_stream_mark(second, &points[1]));
        hold_end_after(hold, 10);
        switch (i % 6) {
        case 0:
            ck_ok(trm_point_wait(points[1], TRM_FOREVER));
            break;
        case 1:
            ck_ok(trm_wait_all(points, 2, TRM_FOREVER));
            break;
        case 2:
            ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which));
            ck_assert_uint_lt(which, 2);
            break;
        case 3:
            ck_ok(trm_event_wait(event, TRM_FOREVER));
            break;
        case 4:
            ck_ok(trm_device_sync(the.device));
            break;
        default:
            ck_ok(trm_buffer_wait(buffer, TRM_FOREVER));
            break;
        }
        ck_ok(trm_stream_sync(second));
        ck_ok(trm_stream_sync(the.stream));
    }
    storm_end();
    trm_event_destroy(event);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_time_out_is_neither_shortened_nor_stretched_by_signals)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct trm_stream *second = make_stream(the.device);
    struct hold *hold         = hold_begin(the.stream);
    struct trm_point points[2];
    uint32_t which = 9;
    ck_ok(trm_stream_mark(the.stream, &points[0]));
    ck_ok(trm_stream_wait(second, points[0]));
    ck_ok(trm_stream_mark(second, &points[1]));
    storm_begin();
    for (int i = 0; i < 3; i++) {
        uint64_t begin = now_ns();
        ck_status(trm_point_wait(points[1], 30 * MILLISECOND), TRM_ERROR_TIMEOUT);
        ck_assert_uint_ge(now_ns() - begin, 30 * MILLISECOND);
        begin = now_ns();
        ck_status(trm_wait_any(points, 2, 30 * MILLISECOND, &which), TRM_ERROR_TIMEOUT);
        ck_assert_uint_ge(now_ns() - begin, 30 * MILLISECOND);
        begin = now_ns();
        ck_status(trm_wait_all(points, 2, 30 * MILLISECOND), TRM_ERROR_TIMEOUT);
        ck_assert_uint_ge(now_ns() - begin, 30 * MILLISECOND);
        ck_assert_uint_lt(now_ns() - begin, LONG_NS);
    }
    storm_end();
    hold_end(hold);
    ck_ok(trm_wait_all(points, 2, TRM_FOREVER));
}
END_TEST

START_TEST(work_is_right_in_a_storm_of_signals)
{
    enum {
        BYTES = 300000
    };
    static uint8_t sent[BYTES], got[BYTES];
    struct trm_stream *second = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    storm_begin();
    for (uint32_t i = 0; i < scaled(500, 20); i++) {
        struct trm_point point;
        pattern_make(sent, BYTES, i);
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), sent));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(second, point));
        ck_ok(trm_download(second, got, trm_span_whole(buffer)));
        ck_ok(trm_stream_sync(second));
        ck_pattern(got, BYTES, i);
    }
    storm_end();
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(objects_come_and_go_in_a_storm_of_signals)
{
    storm_begin();
    for (struct rounds rounds = rounds_of(scaled(200, 20), 3); rounds_left(&rounds); rounds.number++) {
        struct trm_context *context = open_context();
        struct trm_device *device   = open_device(context);
        struct trm_stream *stream   = NULL;
        ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 1000);
        put_pattern(stream, buffer, 1000, rounds.number);
        ck_buffer_pattern(stream, buffer, 1000, rounds.number);
        trm_buffer_destroy(buffer);
        trm_stream_destroy(stream);
        trm_device_destroy(device);
        trm_context_destroy(context);
    }
    storm_end();
}
END_TEST

/* ---- signals of the program ---- */

START_TEST(handlers_of_the_program_run_on_threads_of_the_program)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    put_pattern(the.stream, buffer, 100, 1);
    struct hold *hold = hold_begin(the.stream); /* a thread of the library is in a callback */
    storm_begin();
    for (uint64_t end = now_ns() + 50 * MILLISECOND; now_ns() < end;)
        sleep_ms(1);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    storm_end();
    ck_assert_msg(atomic_load(&wrong_thread) == 0, "a signal was delivered to a thread of the library");
    trm_buffer_destroy(buffer);
}
END_TEST

static const int watched[] = {SIGALRM, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGSEGV, SIGINT, SIGTERM};
#define WATCHED (sizeof(watched) / sizeof(watched[0]))

START_TEST(the_library_leaves_handlers_and_masks_alone)
{
    struct sigaction before[WATCHED], after;
    sigset_t mask_before, mask_after;
    for (size_t i = 0; i < WATCHED; i++)
        ck_assert_int_eq(sigaction(watched[i], NULL, &before[i]), 0);
    sigemptyset(&mask_before);
    sigaddset(&mask_before, SIGUSR2);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, &mask_before, NULL), 0);

    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_stream *stream   = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 1000);
    put_pattern(stream, buffer, 1000, 1);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);

    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask_after), 0);
    for (int number = 1; number < 32; number++)
        ck_assert_int_eq(sigismember(&mask_after, number), sigismember(&mask_before, number));
    for (size_t i = 0; i < WATCHED; i++) {
        ck_assert_int_eq(sigaction(watched[i], NULL, &after), 0);
        ck_assert(after.sa_handler == before[i].sa_handler);
    }
    sigemptyset(&mask_before);
    pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}
END_TEST

void add_signals(Suite *suite)
{
    TCase *group = group_make(suite, "signals");
    CASE(group, waits_survive_a_storm_of_signals);
    CASE(group, a_time_out_is_neither_shortened_nor_stretched_by_signals);
    CASE(group, work_is_right_in_a_storm_of_signals);
    CASE(group, objects_come_and_go_in_a_storm_of_signals);
    CASE(group, handlers_of_the_program_run_on_threads_of_the_program);
    CASE(group, the_library_leaves_handlers_and_masks_alone);
}
