/* The stream that belongs to a thread.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

static struct trm_stream *thread_stream(struct trm_device *device)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_device_thread_stream(device, &stream));
    ck_assert_ptr_nonnull(stream);
    return stream;
}

START_TEST(a_thread_has_one_stream_of_a_device)
{
    struct trm_stream *stream = thread_stream(the.device);
    ck_assert_ptr_ne(stream, the.stream);
    for (int i = 0; i < 100; i++)
        ck_assert_ptr_eq(thread_stream(the.device), stream);
}
END_TEST

START_TEST(a_thread_has_a_stream_of_each_device)
{
    struct trm_device *device = second_device();
    struct trm_stream *first = thread_stream(the.device), *second = thread_stream(device);
    ck_assert_ptr_ne(first, second);
    ck_assert_ptr_eq(thread_stream(the.device), first);
    ck_assert_ptr_eq(thread_stream(device), second);
}
END_TEST

START_TEST(the_stream_of_a_thread_works_like_any_other)
{
    struct trm_stream *stream = thread_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 10000);
    struct trm_point point;
    put_pattern(stream, buffer, 10000, 2);
    ck_ok(trm_stream_mark(stream, &point));
    ck_ok(trm_stream_wait(the.stream, point));
    ck_buffer_pattern(the.stream, buffer, 10000, 2);
    ck_ok(trm_device_sync(the.device));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_stream_of_a_thread_cannot_be_destroyed)
{
    struct trm_stream *stream = thread_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    trm_stream_destroy((struct trm_stream *)0x77);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    trm_stream_destroy(stream);
    ck_assert_int_lt(trm_last_error().status, 0);
    ck_assert_int_ne(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    ck_assert_ptr_eq(thread_stream(the.device), stream);
    put_pattern(stream, buffer, 100, 1);
    ck_buffer_pattern(stream, buffer, 100, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

/* What a thread did with its stream. */
struct visit {
    struct trm_device *device;
    struct trm_buffer *buffer;
    const void *sent;
    uint64_t size;
    struct trm_stream *stream;
    int32_t status;
    bool same;
};

static void *visit(void *user)
{
    struct visit *visit       = user;
    struct trm_stream *second = NULL;
    visit->status             = trm_device_thread_stream(visit->device, &visit->stream);
    if (visit->status == TRM_OK)
        visit->status = trm_device_thread_stream(visit->device, &second);
    visit->same = second == visit->stream;
    if (visit->status == TRM_OK && visit->buffer)
        visit->status = trm_upload(visit->stream, trm_span_of(visit->buffer, 0, visit->size), visit->sent);
    return NULL;
}

START_TEST(two_threads_have_two_streams)
{
    enum {
        THREADS = 8
    };
    struct visit visits[THREADS];
    pthread_t threads[THREADS];
    struct trm_stream *mine = thread_stream(the.device);
    for (int i = 0; i < THREADS; i++) {
        visits[i] = (struct visit){.device = the.device};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, visit, &visits[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(visits[i].status, TRM_OK);
        ck_assert(visits[i].same);
        ck_assert_ptr_ne(visits[i].stream, mine);
        for (int other = 0; other < i; other++)
            ck_assert_ptr_ne(visits[i].stream, visits[other].stream);
    }
    ck_assert_ptr_eq(thread_stream(the.device), mine);
}
END_TEST

START_TEST(the_stream_of_a_thread_is_drained_and_gone_with_it)
{
    enum {
        BYTES = 50000
    };
    static uint8_t sent[BYTES];
    struct trm_buffer *buffer      = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_device_usage before = {.struct_size = sizeof(before)}, after = before;
    ck_ok(trm_device_get_usage(the.device, &before));
    for (uint32_t i = 0; i < scaled(500, 50); i++) {
        struct visit visited = {.device = the.device, .buffer = buffer, .sent = sent, .size = BYTES};
        pthread_t thread;
        pattern_make(sent, BYTES, i);
        ck_assert_int_eq(pthread_create(&thread, NULL, visit, &visited), 0);
        pthread_join(thread, NULL);
        ck_assert_int_eq(visited.status, TRM_OK);
        ck_status(trm_stream_query(visited.stream), TRM_ERROR_INVALID_HANDLE);
        ck_buffer_pattern(the.stream, buffer, BYTES, i);
    }
    ck_ok(trm_device_get_usage(the.device, &after));
    ck_assert_uint_eq(after.streams, before.streams);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_stream_of_a_thread_is_gone_with_its_device)
{
    struct trm_device *device = open_device(the.context);
    struct trm_stream *stream = thread_stream(device);
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 100);
    put_pattern(stream, buffer, 100, 1);
    trm_buffer_destroy(buffer);
    trm_device_destroy(device);
    ck_status(trm_stream_query(stream), TRM_ERROR_INVALID_HANDLE);
    ck_ok(trm_stream_query(thread_stream(the.device)));
}
END_TEST

START_TEST(the_stream_of_a_thread_is_no_leak)
{
    struct trm_device *device = open_device(the.context);
    thread_stream(device);
    log_forget();
    trm_device_destroy(device);
    ck_assert(!log_has(TRM_LOG_WARNING, "stream"));
}
END_TEST

struct gone_device {
    struct trm_device *device;
    pthread_barrier_t barrier;
    int32_t status;
};

static void *outlive_device(void *user)
{
    struct gone_device *gone  = user;
    struct trm_stream *stream = NULL;
    gone->status              = trm_device_thread_stream(gone->device, &stream);
    pthread_barrier_wait(&gone->barrier);
    pthread_barrier_wait(&gone->barrier); /* the device has been destroyed */
    if (gone->status == TRM_OK && trm_stream_query(stream) != TRM_ERROR_INVALID_HANDLE)
        gone->status = TRM_ERROR_INTERNAL;
    return NULL;
}

START_TEST(a_thread_may_end_after_the_device_of_its_stream)
{
    for (struct rounds rounds = rounds_of(scaled(100, 10), 3); rounds_left(&rounds); rounds.number++) {
        struct gone_device gone = {.device = open_device(the.context)};
        pthread_t thread;
        pthread_barrier_init(&gone.barrier, NULL, 2);
        ck_assert_int_eq(pthread_create(&thread, NULL, outlive_device, &gone), 0);
        pthread_barrier_wait(&gone.barrier);
        trm_device_destroy(gone.device);
        pthread_barrier_wait(&gone.barrier);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&gone.barrier);
        ck_assert_int_eq(gone.status, TRM_OK);
    }
}
END_TEST

struct shared_end {
    struct trm_device *device;
    struct trm_buffer *buffer;
    pthread_barrier_t barrier;
    int32_t status;
};

static void *end_with_device(void *user)
{
    struct shared_end *end    = user;
    struct trm_stream *stream = NULL;
    end->status               = trm_device_thread_stream(end->device, &stream);
    for (uint32_t i = 0; i < 8 && end->status == TRM_OK; i++)
        end->status = trm_fill(stream, trm_span_whole(end->buffer), i, 4);
    pthread_barrier_wait(&end->barrier);
    return NULL;
}

/* Both wait for the fills, and one of them ends the stream. */
START_TEST(a_thread_may_end_while_its_device_is_destroyed)
{
    for (struct rounds rounds = rounds_of(scaled(200, 20), 3); rounds_left(&rounds); rounds.number++) {
        struct shared_end end = {.device = open_device(the.context)};
        pthread_t thread;
        end.buffer = make_buffer(end.device, TRM_MEMORY_DEVICE, 1 << 18);
        pthread_barrier_init(&end.barrier, NULL, 2);
        ck_assert_int_eq(pthread_create(&thread, NULL, end_with_device, &end), 0);
        pthread_barrier_wait(&end.barrier);
        trm_buffer_destroy(end.buffer);
        trm_device_destroy(end.device);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&end.barrier);
        ck_assert_int_eq(end.status, TRM_OK);
    }
}
END_TEST

START_TEST(streams_of_threads_of_thousands_of_devices_leave_nothing_behind)
{
    struct rounds rounds = rounds_of(scaled(2000, PTHREAD_KEYS_MAX + 76), 3);
    for (; rounds_left(&rounds); rounds.number++) {
        struct trm_device *device = open_device(the.context);
        thread_stream(device);
        trm_device_destroy(device);
    }
    if (rounds.number <= PTHREAD_KEYS_MAX)
        skip("the device takes too long to open for more than a process has thread keys");
}
END_TEST

struct called {
    struct trm_device *device;
    struct trm_stream *stream;
    int32_t status;
};

static void ask_inside(void *user, int32_t status)
{
    struct called *called = user;
    (void)status;
    called->status = trm_device_thread_stream(called->device, &called->stream);
}

START_TEST(a_callback_may_ask_for_the_stream_of_its_thread)
{
    struct called called = {.device = the.device, .status = 1};
    ck_ok(trm_stream_callback(the.stream, ask_inside, &called));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_int_eq(called.status, TRM_OK);
    if (hold_works())
        ck_assert_ptr_ne(called.stream, thread_stream(the.device));
}
END_TEST

void add_thread_stream(Suite *suite)
{
    TCase *group = group_make(suite, "streams of threads");
    CASE(group, a_thread_has_one_stream_of_a_device);
    CASE(group, a_thread_has_a_stream_of_each_device);
    CASE(group, the_stream_of_a_thread_works_like_any_other);
    CASE(group, the_stream_of_a_thread_cannot_be_destroyed);
    CASE(group, two_threads_have_two_streams);
    CASE(group, the_stream_of_a_thread_is_drained_and_gone_with_it);
    CASE(group, the_stream_of_a_thread_is_gone_with_its_device);
    CASE(group, the_stream_of_a_thread_is_no_leak);
    CASE(group, a_thread_may_end_after_the_device_of_its_stream);
    CASE(group, a_thread_may_end_while_its_device_is_destroyed);
    CASE(group, streams_of_threads_of_thousands_of_devices_leave_nothing_behind);
    CASE(group, a_callback_may_ask_for_the_stream_of_its_thread);
}
