/* Many streams and many threads: the results are the same as of sequential work.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/streams.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/barrier.h"
#include "tests/device/checks.h"
#include "tests/device/kernels.h"
#include "tests/device/workers.h"
#include "tests/device/world.h"
#include "tests/scale.h"

enum {
    THREADS = 8,
    N       = 3000 /* numbers of a buffer */
};

static struct trm_kernel *kernel;

static void open_all(void)
{
    world_open();
    kernel = affine_on(the.device);
}

static void close_all(void)
{
    trm_kernel_destroy(kernel);
    world_close();
}

START_TEST(eight_threads_with_three_streams_each_do_not_disturb_each_other)
{
    workers_run(the.device, kernel, 8);
}
END_TEST

/* ---- a ring of streams over one buffer ---- */

START_TEST(streams_of_all_roles_hand_a_buffer_around)
{
    static uint32_t numbers[N], got[N];
    static const int32_t roles[] = {TRM_STREAM_UPLOAD, TRM_STREAM_COMPUTE, TRM_STREAM_DOWNLOAD,
                                    TRM_STREAM_ANY};
    struct trm_stream *streams[8];
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(numbers));
    struct trm_point point;
    uint32_t wanted = 1;
    for (int i = 0; i < 8; i++)
        streams[i] = stream_open(the.device, roles[i % 4]);
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = 1;
    ck_ok(trm_upload(streams[0], trm_span_whole(buffer), numbers));
    for (uint32_t i = 0; i < 100; i++) {
        struct trm_stream *now = streams[i * 5 % 8], *next = streams[(i + 1) * 5 % 8];
        ck_ok(affine_launch(now, kernel, buffer, N, i + 3, i));
        wanted = wanted * (i + 3) + i;
        ck_ok(trm_stream_mark(now, &point));
        ck_ok(trm_stream_wait(next, point));
    }
    ck_ok(trm_download(streams[100 * 5 % 8], got, trm_span_whole(buffer)));
    ck_ok(trm_stream_sync(streams[100 * 5 % 8]));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], wanted);
    trm_buffer_destroy(buffer);
    for (int i = 0; i < 8; i++)
        trm_stream_destroy(streams[i]);
}
END_TEST

/* ---- gates ---- */

START_TEST(what_is_behind_a_callback_waits_for_it_and_other_streams_do_not)
{
    static uint32_t got[N], beside[N];
    struct barrier barrier   = BARRIER_CLOSED;
    struct trm_stream *other = stream_open(the.device, TRM_STREAM_ANY), *third = stream_open(the.device, 0);
    struct trm_buffer *a = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(got)),
                      *b = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(got));
    struct trm_point point;
    ck_ok(trm_fill(the.stream, trm_span_whole(a), 1, 4));
    ck_ok(barrier_enqueue(the.stream, &barrier));
    for (uint32_t i = 0; i < 10; i++) /* all of this is held back */
        ck_ok(affine_launch(the.stream, kernel, a, N, 2, i));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_wait(third, point));
    ck_ok(trm_download(third, got, trm_span_whole(a)));
    barrier_await(&barrier);
    ck_ok(trm_fill(other, trm_span_whole(b), 5, 4));
    ck_ok(trm_download(other, beside, trm_span_whole(b)));
    ck_ok(trm_stream_sync(other)); /* is not held up */
    ck_assert_uint_eq(beside[N - 1], 5);
    ck_assert_int_eq(trm_point_done(point), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_point_wait(point, 1000000), TRM_ERROR_TIMEOUT);
    trm_buffer_destroy(b); /* memory may come and go meanwhile */
    b = buffer_open(the.device, TRM_MEMORY_PINNED, 1 << 20);
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(third));
    uint32_t wanted = 1;
    for (uint32_t i = 0; i < 10; i++)
        wanted = wanted * 2 + i;
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], wanted);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_stream_destroy(other);
    trm_stream_destroy(third);
}
END_TEST

START_TEST(a_chain_of_streams_that_wait_for_one_behind_a_gate_goes_on_when_it_opens)
{
    enum {
        CHAIN = 6
    };
    static uint32_t got[N];
    struct barrier barrier = BARRIER_CLOSED;
    struct trm_stream *streams[CHAIN];
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(got));
    struct trm_point point;
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 4));
    ck_ok(trm_stream_mark(the.stream, &point));
    uint32_t wanted = 1;
    for (uint32_t i = 0; i < CHAIN; i++) {
        streams[i] = stream_open(the.device, TRM_STREAM_ANY);
        ck_ok(trm_stream_wait(streams[i], point));
        ck_ok(affine_launch(streams[i], kernel, buffer, N, 3, i));
        ck_ok(trm_stream_mark(streams[i], &point));
        wanted = wanted * 3 + i;
    }
    ck_ok(trm_download(streams[CHAIN - 1], got, trm_span_whole(buffer)));
    barrier_await(&barrier);
    ck_assert_int_eq(trm_stream_query(streams[CHAIN - 1]), TRM_ERROR_TIMEOUT);
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(streams[CHAIN - 1]));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(got[i], wanted);
    for (uint32_t i = 0; i < CHAIN; i++)
        trm_stream_destroy(streams[i]);
    trm_buffer_destroy(buffer);
}
END_TEST

/* Every thread waits for the point of the thread before, which was enqueued behind a callback of that one. */
struct link {
    pthread_t thread;
    struct trm_stream *stream;
    struct trm_point before, after;
    atomic_uint *calls;
    int32_t status;
};

static void add_call(void *user, int32_t status)
{
    (void)status;
    atomic_fetch_add((atomic_uint *)user, 1);
}

static void *enqueue_and_wait(void *user)
{
    struct link *link = user;
    for (int i = 0; i < 20 && link->status == TRM_OK; i++) {
        link->status = trm_stream_wait(link->stream, link->before);
        if (link->status == TRM_OK)
            link->status = trm_stream_callback(link->stream, add_call, link->calls);
        if (link->status == TRM_OK)
            link->status = trm_stream_flush(link->stream);
    }
    if (link->status == TRM_OK)
        link->status = trm_stream_sync(link->stream);
    return NULL;
}

START_TEST(threads_that_wait_for_each_others_gates_all_come_through)
{
    struct link links[THREADS];
    atomic_uint calls      = 0;
    struct barrier barrier = BARRIER_CLOSED;
    struct trm_point point;
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_stream_mark(the.stream, &point));
    for (int i = 0; i < THREADS; i++) {
        links[i] = (struct link){
            .stream = stream_open(the.device, TRM_STREAM_ANY), .before = point, .calls = &calls};
        ck_ok(trm_stream_callback(links[i].stream, add_call, &calls));
        ck_ok(trm_stream_mark(links[i].stream, &point));
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&links[i].thread, NULL, enqueue_and_wait, &links[i]), 0);
    barrier_open(&barrier);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(links[i].thread, NULL);
        ck_assert_int_eq(links[i].status, TRM_OK);
    }
    for (int i = 0; i < THREADS; i++) /* whose points others no longer name */
        trm_stream_destroy(links[i].stream);
    ck_assert_uint_eq(atomic_load(&calls), THREADS * 21);
}
END_TEST

/* ---- waiting while another enqueues ---- */

struct enqueuer {
    pthread_t thread;
    struct trm_stream *stream;
    struct trm_buffer *buffer;
    _Atomic uint64_t marked;
    uint32_t rounds;
    int32_t status;
};

static void *keep_enqueueing(void *user)
{
    struct enqueuer *enqueuer = user;
    for (uint32_t i = 0; i < enqueuer->rounds && enqueuer->status == TRM_OK; i++) {
        struct trm_point point;
        enqueuer->status = affine_launch(enqueuer->stream, kernel, enqueuer->buffer, N, 1, 1);
        if (enqueuer->status == TRM_OK)
            enqueuer->status = trm_stream_mark(enqueuer->stream, &point);
        if (enqueuer->status == TRM_OK)
            atomic_store(&enqueuer->marked, point.value);
    }
    atomic_store(&enqueuer->marked, UINT64_MAX);
    return NULL;
}

START_TEST(threads_wait_for_a_stream_while_another_goes_on_enqueueing)
{
    static uint32_t got[N];
    struct enqueuer enqueuer = {.stream = the.stream, .rounds = scaled(600, 200)};
    uint64_t waits           = 0;
    enqueuer.buffer          = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(got));
    ck_ok(trm_fill(the.stream, trm_span_whole(enqueuer.buffer), 0, 1));
    ck_assert_int_eq(pthread_create(&enqueuer.thread, NULL, keep_enqueueing, &enqueuer), 0);
    for (;;) {
        struct trm_point point = {the.stream, atomic_load(&enqueuer.marked)};
        if (point.value == UINT64_MAX)
            break;
        if (point.value == 0)
            continue;
        ck_ok(trm_point_wait(point, TRM_FOREVER));
        ck_ok(trm_point_done(point));
        waits++;
    }
    pthread_join(enqueuer.thread, NULL);
    ck_assert_int_eq(enqueuer.status, TRM_OK);
    ck_ok(trm_download(the.stream, got, trm_span_whole(enqueuer.buffer)));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(got[N - 1], enqueuer.rounds);
    trm_buffer_destroy(enqueuer.buffer);
}
END_TEST

/* ---- host memory ---- */

START_TEST(what_goes_down_may_go_up_again_at_once)
{
    static uint32_t numbers[N], got[N];
    struct trm_stream *up     = stream_open(the.device, TRM_STREAM_UPLOAD);
    struct trm_buffer *a      = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(numbers)),
                      *b      = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(numbers)),
                      *middle = buffer_open(the.device, TRM_MEMORY_PINNED, sizeof(numbers));
    for (uint32_t round = 0; round < 20; round++) {
        struct trm_point point;
        for (uint32_t i = 0; i < N; i++)
            numbers[i] = i ^ round << 16;
        ck_ok(trm_upload(the.stream, trm_span_whole(a), numbers));
        ck_ok(affine_launch(the.stream, kernel, a, N, 1, 1));
        ck_ok(trm_copy(the.stream, trm_span_whole(middle), trm_span_whole(a)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(up, point));
        ck_ok(trm_copy(up, trm_span_whole(b), trm_span_whole(middle))); /* not there yet */
        ck_ok(trm_download(up, got, trm_span_whole(b)));
        ck_ok(trm_stream_sync(up));
        for (uint32_t i = 0; i < N; i++)
            ck_assert_uint_eq(got[i], (i ^ round << 16) + 1);
    }
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_buffer_destroy(middle);
    trm_stream_destroy(up);
}
END_TEST

START_TEST(large_copies_of_plain_memory_come_whole_beside_others)
{
    enum {
        BYTES = 9 << 20
    };
    uint8_t *sent = malloc(BYTES), *got = calloc(1, BYTES);
    struct trm_stream *small  = stream_open(the.device, TRM_STREAM_COMPUTE);
    struct trm_buffer *large  = buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES);
    uint32_t numbers[16]      = {0};
    struct trm_buffer *little = buffer_open(the.device, TRM_MEMORY_DEVICE, sizeof(numbers));
    ck_assert(sent && got);
    for (uint32_t i = 0; i < BYTES; i++)
        sent[i] = (uint8_t)(i * 2654435761u >> 24);
    ck_ok(trm_fill(small, trm_span_whole(little), 0, 1));
    ck_ok(trm_upload(the.stream, trm_span_whole(large), sent));
    for (uint32_t i = 0; i < 50; i++)
        ck_ok(affine_launch(small, kernel, little, 16, 1, 1));
    ck_ok(trm_download(the.stream, got, trm_span_whole(large)));
    ck_ok(trm_download(small, numbers, trm_span_whole(little)));
    ck_ok(trm_stream_sync(small));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_int_eq(memcmp(sent, got, BYTES), 0);
    for (int i = 0; i < 16; i++)
        ck_assert_uint_eq(numbers[i], 50);
    trm_buffer_destroy(large);
    trm_buffer_destroy(little);
    trm_stream_destroy(small);
    free(sent);
    free(got);
}
END_TEST

/* ---- the group ---- */

TCase *streams_cases(const char *name, SFun shape)
{
    TCase *group = tcase_create(name);
    if (shape)
        tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(group, open_all, close_all);
    tcase_add_test(group, eight_threads_with_three_streams_each_do_not_disturb_each_other);
    tcase_add_test(group, streams_of_all_roles_hand_a_buffer_around);
    tcase_add_test(group, what_is_behind_a_callback_waits_for_it_and_other_streams_do_not);
    tcase_add_test(group, a_chain_of_streams_that_wait_for_one_behind_a_gate_goes_on_when_it_opens);
    tcase_add_test(group, threads_that_wait_for_each_others_gates_all_come_through);
    tcase_add_test(group, threads_wait_for_a_stream_while_another_goes_on_enqueueing);
    tcase_add_test(group, what_goes_down_may_go_up_again_at_once);
    tcase_add_test(group, large_copies_of_plain_memory_come_whole_beside_others);
    return group;
}
