/* Order under load: in one stream, across streams, and with what the host does between.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#include <pthread.h>

/* x → x × factor + addend: no two of these with other numbers may change places. */
struct affine {
    uint32_t factor;
    uint32_t addend;
};

static struct affine affine_of(uint32_t number)
{
    struct affine affine = {number * 2u + 3u, number * 7u + 1u};
    return affine;
}

static uint32_t apply(uint32_t value, uint32_t number)
{
    struct affine affine = affine_of(number);
    return value * affine.factor + affine.addend;
}

static void launch_number(struct trm_stream *stream, struct trm_kernel *used, struct trm_buffer *buffer,
                          uint32_t n, uint32_t number)
{
    struct affine affine = affine_of(number);
    ck_ok(launch_affine_with(stream, used, buffer, n, affine.factor, affine.addend));
}

static void check_all(struct trm_stream *stream, struct trm_buffer *buffer, uint32_t n, uint32_t expected)
{
    uint32_t *got = malloc(n * sizeof(*got));
    ck_assert_ptr_nonnull(got);
    get(stream, buffer, 0, got, n * sizeof(*got));
    ck_words(got, n, expected);
    free(got);
}

/* ---- one stream ---- */

static void chain(uint32_t n, unsigned launches)
{
    struct trm_kernel *used   = kernel("affine");
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, n * 4u);
    uint32_t expected         = 1;
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 4));
    for (unsigned i = 0; i < launches; i++) {
        launch_number(the.stream, used, buffer, n, i);
        expected = apply(expected, i);
    }
    check_all(the.stream, buffer, n, expected);
    trm_buffer_destroy(buffer);
}

START_TEST(thousands_of_small_launches_keep_their_order)
{
    if (kernels_missing())
        return;
    chain(64, scaled(20000, 500));
}
END_TEST

START_TEST(large_launches_keep_their_order)
{
    if (kernels_missing())
        return;
    chain(1u << 20, scaled(100, 5));
}
END_TEST

START_TEST(launches_of_all_sizes_keep_their_order)
{
    if (kernels_missing())
        return;
    static const uint32_t sizes[] = {1, 64, 1000, 65536, 300000};
    struct trm_kernel *used       = kernel("affine");
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 300000 * 4);
    uint32_t expected = 1, state = 7;
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 4));
    for (unsigned i = 0; i < scaled(1000, 50); i++) {
        launch_number(the.stream, used, buffer, sizes[next_random(&state) % 5], i);
        expected = apply(expected, i); /* the first element is part of every one */
    }
    uint32_t first = 0;
    get(the.stream, buffer, 0, &first, sizeof(first));
    ck_assert_uint_eq(first, expected);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(copies_and_fills_that_overlap_keep_their_order)
{
    enum {
        BYTES = 1 << 16
    };
    static uint8_t model[BYTES], got[BYTES], sent[8][BYTES];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    uint32_t state            = 11;
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
    for (uint32_t i = 0; i < 8; i++)
        pattern_make(sent[i], BYTES, i);
    for (unsigned i = 0; i < scaled(3000, 200); i++) {
        uint64_t offset = next_random(&state) % BYTES, length = next_random(&state) % (BYTES - offset + 1);
        if (next_random(&state) % 2) {
            uint32_t seed = next_random(&state) % 8;
            ck_ok(trm_upload(the.stream, trm_span_of(buffer, offset, length), sent[seed]));
            memcpy(model + offset, sent[seed], length);
        } else {
            ck_ok(trm_fill(the.stream, trm_span_of(buffer, offset, length), i, 1));
            memset(model + offset, (int)(i & 255), length);
        }
    }
    get(the.stream, buffer, 0, got, BYTES);
    ck_assert_mem_eq(got, model, BYTES);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(upload_launch_and_download_follow_each_other)
{
    if (kernels_missing())
        return;
    enum {
        N = 5000
    };
    static uint32_t sent[100][N], got[100][N];
    unsigned rounds           = scaled(100, 10);
    struct trm_kernel *used   = kernel("affine");
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(sent[0]));
    for (unsigned i = 0; i < rounds; i++) {
        for (uint32_t n = 0; n < N; n++)
            sent[i][n] = i * N + n;
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), sent[i]));
        launch_number(the.stream, used, buffer, N, i);
        ck_ok(trm_download(the.stream, got[i], trm_span_whole(buffer)));
    }
    ck_ok(trm_stream_sync(the.stream));
    uint32_t wrong = 0;
    for (unsigned i = 0; i < rounds; i++)
        for (uint32_t n = 0; n < N; n++)
            wrong += got[i][n] != apply(i * N + n, i);
    ck_assert_uint_eq(wrong, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- across streams ---- */

START_TEST(two_streams_take_turns)
{
    if (kernels_missing())
        return;
    enum {
        N = 256
    };
    struct trm_stream *streams[2] = {make_stream(the.device), make_stream(the.device)};
    struct trm_kernel *used       = kernel("affine");
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, N * 4);
    struct trm_point point;
    uint32_t expected = 1;
    ck_ok(trm_fill(streams[0], trm_span_whole(buffer), 1, 4));
    ck_ok(trm_stream_mark(streams[0], &point));
    for (unsigned i = 0; i < scaled(10000, 300); i++) {
        struct trm_stream *stream = streams[(i + 1) % 2];
        ck_ok(trm_stream_wait(stream, point));
        launch_number(stream, used, buffer, N, i);
        ck_ok(trm_stream_mark(stream, &point));
        expected = apply(expected, i);
    }
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    check_all(the.stream, buffer, N, expected);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_value_goes_round_a_ring_of_streams_by_copies)
{
    enum {
        STREAMS = 16,
        BYTES   = 3000
    };
    struct trm_stream *streams[STREAMS];
    struct trm_buffer *buffers[STREAMS];
    struct trm_point point;
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make_stream(the.device);
        buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        ck_ok(trm_fill(streams[i], trm_span_whole(buffers[i]), 0, 1));
    }
    ck_ok(trm_device_sync(the.device));
    put_pattern(streams[0], buffers[0], BYTES, 9);
    ck_ok(trm_stream_mark(streams[0], &point));
    for (unsigned i = 0; i < scaled(2000, 100); i++) {
        struct trm_buffer *from = buffers[i % STREAMS], *to = buffers[(i + 1) % STREAMS];
        struct trm_stream *stream = streams[(i + 1) % STREAMS];
        ck_ok(trm_stream_wait(stream, point));
        ck_ok(trm_copy(stream, trm_span_whole(to), trm_span_whole(from)));
        ck_ok(trm_fill(stream, trm_span_whole(from), i, 1)); /* nothing is left behind */
        ck_ok(trm_stream_mark(stream, &point));
        if (i + 1 == scaled(2000, 100))
            ck_buffer_pattern(stream, to, BYTES, 9);
    }
    for (int i = 0; i < STREAMS; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

/* Random launches on random buffers by random streams; each waits for the last that used its buffer. */
START_TEST(a_random_graph_of_launches_gives_what_one_stream_would)
{
    if (kernels_missing())
        return;
    enum {
        STREAMS = 8,
        BUFFERS = 6,
        N       = 300
    };
    struct trm_stream *streams[STREAMS];
    struct trm_buffer *buffers[BUFFERS];
    struct trm_point points[BUFFERS];
    uint32_t expected[BUFFERS];
    struct trm_kernel *used = kernel("affine");
    uint32_t state          = 4711;
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream(the.device);
    for (int i = 0; i < BUFFERS; i++) {
        buffers[i]  = make_buffer(the.device, TRM_MEMORY_DEVICE, N * 4);
        expected[i] = 1;
        ck_ok(trm_fill(streams[i % STREAMS], trm_span_whole(buffers[i]), 1, 4));
        ck_ok(trm_stream_mark(streams[i % STREAMS], &points[i]));
    }
    for (unsigned i = 0; i < scaled(10000, 300); i++) {
        uint32_t at               = next_random(&state) % BUFFERS;
        struct trm_stream *stream = streams[next_random(&state) % STREAMS];
        ck_ok(trm_stream_wait(stream, points[at]));
        if (next_random(&state) % 8 == 0) { /* takes another buffer's contents */
            uint32_t from = next_random(&state) % BUFFERS;
            if (from == at)
                continue;
            ck_ok(trm_stream_wait(stream, points[from]));
            ck_ok(trm_copy(stream, trm_span_whole(buffers[at]), trm_span_whole(buffers[from])));
            ck_ok(trm_stream_mark(stream, &points[from])); /* the next write waits until it was read */
            points[at]   = points[from];
            expected[at] = expected[from];
        } else {
            launch_number(stream, used, buffers[at], N, i);
            ck_ok(trm_stream_mark(stream, &points[at]));
            expected[at] = apply(expected[at], i);
        }
    }
    ck_ok(trm_wait_all(points, BUFFERS, TRM_FOREVER));
    for (int i = 0; i < BUFFERS; i++) {
        check_all(the.stream, buffers[i], N, expected[i]);
        trm_buffer_destroy(buffers[i]);
    }
}
END_TEST

START_TEST(many_streams_start_after_one_and_one_after_many)
{
    enum {
        STREAMS = 64,
        BYTES   = 512
    };
    struct trm_stream *streams[STREAMS];
    struct trm_buffer *parts = make_buffer(the.device, TRM_MEMORY_DEVICE, STREAMS * BYTES);
    struct trm_buffer *one   = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    static uint8_t sent[BYTES], got[STREAMS * BYTES];
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream(the.device);
    for (uint32_t round = 0; round < scaled(100, 5); round++) {
        struct trm_point begun, points[STREAMS];
        pattern_make(sent, BYTES, round);
        ck_ok(trm_upload(the.stream, trm_span_whole(one), sent));
        ck_ok(trm_stream_mark(the.stream, &begun));
        for (uint32_t i = 0; i < STREAMS; i++) {
            ck_ok(trm_stream_wait(streams[i], begun));
            ck_ok(trm_copy(streams[i], trm_span_of(parts, i * BYTES, BYTES), trm_span_whole(one)));
            ck_ok(trm_stream_mark(streams[i], &points[i]));
        }
        for (uint32_t i = 0; i < STREAMS; i++)
            ck_ok(trm_stream_wait(the.stream, points[i]));
        get(the.stream, parts, 0, got, sizeof(got));
        for (uint32_t i = 0; i < STREAMS; i++)
            ck_pattern(got + i * BYTES, BYTES, round);
    }
    trm_buffer_destroy(parts);
    trm_buffer_destroy(one);
}
END_TEST

START_TEST(independent_streams_do_not_disturb_each_other)
{
    enum {
        STREAMS = 16,
        BYTES   = 20000
    };
    struct trm_stream *streams[STREAMS];
    struct trm_buffer *buffers[STREAMS];
    static uint8_t sent[STREAMS][BYTES], got[STREAMS][BYTES];
    for (uint32_t i = 0; i < STREAMS; i++) {
        int32_t priority = (int32_t)(i % 3) - 1;
        ck_ok(trm_stream_create(the.device, (int32_t)(i % 4), priority, &streams[i]));
        destroy_later_stream(streams[i]);
        buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    }
    for (uint32_t round = 0; round < scaled(200, 10); round++) {
        for (uint32_t i = 0; i < STREAMS; i++) {
            pattern_make(sent[i], BYTES, round * STREAMS + i);
            ck_ok(trm_upload(streams[i], trm_span_whole(buffers[i]), sent[i]));
            ck_ok(trm_download(streams[i], got[i], trm_span_whole(buffers[i])));
            ck_ok(trm_fill(streams[i], trm_span_whole(buffers[i]), round, 1));
        }
        for (uint32_t i = 0; i < STREAMS; i++) {
            ck_ok(trm_stream_sync(streams[i]));
            ck_pattern(got[i], BYTES, round * STREAMS + i);
        }
    }
    for (int i = 0; i < STREAMS; i++)
        trm_buffer_destroy(buffers[i]);
}
END_TEST

/* ---- stages in threads ---- */

/* Three threads, each with a stream of its own, pass batches through a ring of slots: fill, transform, read.
 * Points go from thread to thread in a queue. */
enum {
    SLOTS = 4,
    BATCH = 1000
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct trm_point points[SLOTS];
    unsigned pushed, popped;
};

struct line {
    struct queue filled, transformed, empty;
    struct trm_buffer *slots[SLOTS];
    uint32_t sent[SLOTS][BATCH], got[SLOTS][BATCH];
    struct trm_kernel *kernel;
    unsigned batches;
    int32_t status;
    unsigned wrong;
    pthread_barrier_t done; /* a thread's stream, and its points, end with it */
};

static void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->pushed = queue->popped = 0;
}

static void push(struct queue *queue, struct trm_point point)
{
    pthread_mutex_lock(&queue->mutex);
    queue->points[queue->pushed++ % SLOTS] = point;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

static struct trm_point pop(struct queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->pushed == queue->popped)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    struct trm_point point = queue->points[queue->popped++ % SLOTS];
    pthread_mutex_unlock(&queue->mutex);
    return point;
}

static void note_status(struct line *line, int32_t status)
{
    if (status != TRM_OK)
        __atomic_store_n(&line->status, status, __ATOMIC_RELAXED);
}

static void *fill_slots(void *user)
{
    struct line *line         = user;
    struct trm_stream *stream = NULL;
    note_status(line, trm_device_thread_stream(the.device, &stream));
    for (unsigned i = 0; i < line->batches; i++) {
        uint32_t *sent         = line->sent[i % SLOTS];
        struct trm_point point = {NULL, 0}, free_point = {NULL, 0};
        if (i >= SLOTS)
            free_point = pop(&line->empty);
        if (free_point.stream) {
            note_status(line, trm_stream_wait(stream, free_point));
            note_status(line,
                        trm_point_wait(free_point, TRM_FOREVER)); /* the host memory is used again, too */
        }
        for (uint32_t n = 0; n < BATCH; n++)
            sent[n] = i * BATCH + n;
        note_status(line, trm_upload(stream, trm_span_whole(line->slots[i % SLOTS]), sent));
        note_status(line, trm_stream_mark(stream, &point));
        push(&line->filled, point);
    }
    pthread_barrier_wait(&line->done);
    return NULL;
}

static void *transform_slots(void *user)
{
    struct line *line         = user;
    struct trm_stream *stream = NULL;
    note_status(line, trm_device_thread_stream(the.device, &stream));
    for (unsigned i = 0; i < line->batches; i++) {
        struct affine affine   = affine_of(i);
        struct trm_point point = {NULL, 0};
        note_status(line, trm_stream_wait(stream, pop(&line->filled)));
        note_status(line, launch_affine_with(stream, line->kernel, line->slots[i % SLOTS], BATCH,
                                             affine.factor, affine.addend));
        note_status(line, trm_stream_mark(stream, &point));
        push(&line->transformed, point);
    }
    pthread_barrier_wait(&line->done);
    return NULL;
}

static void read_slots(struct line *line)
{
    for (unsigned i = 0; i < line->batches; i++) {
        uint32_t *got          = line->got[i % SLOTS];
        struct trm_point point = {NULL, 0};
        note_status(line, trm_stream_wait(the.stream, pop(&line->transformed)));
        note_status(line, trm_download(the.stream, got, trm_span_whole(line->slots[i % SLOTS])));
        note_status(line, trm_stream_mark(the.stream, &point));
        note_status(line, trm_point_wait(point, TRM_FOREVER));
        for (uint32_t n = 0; n < BATCH; n++)
            line->wrong += got[n] != apply(i * BATCH + n, i);
        push(&line->empty, point);
    }
    pthread_barrier_wait(&line->done);
}

START_TEST(three_threads_with_a_stream_each_make_a_pipeline)
{
    if (kernels_missing())
        return;
    static struct line line;
    pthread_t threads[2];
    line.batches = scaled(2000, 50);
    line.kernel  = kernel("affine");
    queue_init(&line.filled);
    queue_init(&line.transformed);
    queue_init(&line.empty);
    pthread_barrier_init(&line.done, NULL, 3);
    for (int i = 0; i < SLOTS; i++)
        line.slots[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, BATCH * 4);
    ck_assert_int_eq(pthread_create(&threads[0], NULL, fill_slots, &line), 0);
    ck_assert_int_eq(pthread_create(&threads[1], NULL, transform_slots, &line), 0);
    read_slots(&line);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    ck_assert_int_eq(line.status, TRM_OK);
    ck_assert_uint_eq(line.wrong, 0);
    for (int i = 0; i < SLOTS; i++)
        trm_buffer_destroy(line.slots[i]);
}
END_TEST

void add_ordering(Suite *suite)
{
    TCase *group = group_make(suite, "order in one stream");
    CASE(group, thousands_of_small_launches_keep_their_order);
    CASE(group, large_launches_keep_their_order);
    CASE(group, launches_of_all_sizes_keep_their_order);
    CASE(group, copies_and_fills_that_overlap_keep_their_order);
    CASE(group, upload_launch_and_download_follow_each_other);

    group = group_make(suite, "order across streams");
    CASE(group, two_streams_take_turns);
    CASE(group, a_value_goes_round_a_ring_of_streams_by_copies);
    CASE(group, a_random_graph_of_launches_gives_what_one_stream_would);
    CASE(group, many_streams_start_after_one_and_one_after_many);
    CASE(group, independent_streams_do_not_disturb_each_other);
    CASE(group, three_threads_with_a_stream_each_make_a_pipeline);
}
