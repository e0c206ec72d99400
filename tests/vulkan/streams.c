/* Many streams and many threads on devices of every shape: what comes out is what one after the other would give.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 8,
    N       = 3000, /* numbers of a buffer */
    ROUNDS  = 12
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

/* ---- each thread its own streams ---- */

struct worker {
    pthread_t thread;
    struct trm_device *device;
    uint32_t number;
    const char *wrong;  /* NULL: nothing */
    char sentence[512]; /* of a call that failed */
    uint32_t numbers[N], got[N];
    struct trm_stream *upload, *compute, *download;
    struct trm_buffer *buffer;
};

static void note_failure(struct worker *worker, int32_t status, const char *call)
{
    if (status == TRM_OK || worker->wrong)
        return;
    worker->wrong = call;
    snprintf(worker->sentence, sizeof(worker->sentence), "%s: %s", trm_status_name(status),
             trm_last_error().sentence);
}

#define DO(call) note_failure(worker, call, #call)

static void pass_on(struct worker *worker, struct trm_stream *from, struct trm_stream *to)
{
    struct trm_point point;
    DO(trm_stream_mark(from, &point));
    if (!worker->wrong)
        DO(trm_stream_wait(to, point));
}

/* Up on one stream, three kernels on another, down on a third: and the next round overwrites what this one has read. */
static void work_once(struct worker *worker, uint32_t round)
{
    for (uint32_t i = 0; i < N; i++)
        worker->numbers[i] = i * 31 + round * 1009 + worker->number;
    DO(trm_upload(worker->upload, trm_span_whole(worker->buffer), worker->numbers));
    pass_on(worker, worker->upload, worker->compute);
    for (uint32_t k = 0; k < 3; k++)
        DO(affine_launch(worker->compute, kernel, worker->buffer, N, 2 * k + 3, k + round));
    pass_on(worker, worker->compute, worker->download);
    DO(trm_download(worker->download, worker->got, trm_span_whole(worker->buffer)));
    pass_on(worker, worker->download, worker->upload);
    DO(trm_stream_sync(worker->download));
    for (uint32_t i = 0; i < N && !worker->wrong; i++) {
        uint32_t wanted = worker->numbers[i];
        for (uint32_t k = 0; k < 3; k++)
            wanted = wanted * (2 * k + 3) + k + round;
        if (worker->got[i] != wanted)
            worker->wrong = "a number is not what was computed";
    }
}

static void *work(void *user)
{
    struct worker *worker = user;
    DO(trm_stream_create(worker->device, TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL, &worker->upload));
    DO(trm_stream_create(worker->device, TRM_STREAM_COMPUTE, (int32_t)(worker->number % 3),
                         &worker->compute));
    DO(trm_stream_create(worker->device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL, &worker->download));
    DO(trm_buffer_create(worker->device, TRM_MEMORY_DEVICE, sizeof(worker->numbers), &worker->buffer));
    for (uint32_t round = 0; round < ROUNDS && !worker->wrong; round++)
        work_once(worker, round);
    trm_buffer_destroy(worker->buffer);
    trm_stream_destroy(worker->upload);
    trm_stream_destroy(worker->compute);
    trm_stream_destroy(worker->download);
    return NULL;
}

START_TEST(eight_threads_with_three_streams_each_do_not_disturb_each_other)
{
    struct worker *workers = calloc(THREADS, sizeof(*workers));
    ck_assert_ptr_nonnull(workers);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].device = the.device;
        workers[i].number = i;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_msg(!workers[i].wrong, "thread %u: %s: %s", i, workers[i].wrong, workers[i].sentence);
    free(workers);
}
END_TEST

/* ---- a ring of streams over one buffer ---- */

START_TEST(streams_of_all_roles_hand_a_buffer_around)
{
    static uint32_t numbers[N], got[N];
    static const int32_t roles[] = {TRM_STREAM_UPLOAD, TRM_STREAM_COMPUTE, TRM_STREAM_DOWNLOAD,
                                    TRM_STREAM_ANY};
    struct trm_stream *streams[8];
    struct trm_buffer *buffer = NULL;
    struct trm_point point;
    uint32_t wanted = 1;
    for (int i = 0; i < 8; i++)
        streams[i] = stream_open(the.device, roles[i % 4]);
    for (uint32_t i = 0; i < N; i++)
        numbers[i] = 1;
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, sizeof(numbers), &buffer));
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

/* ---- host memory ---- */

START_TEST(what_goes_down_may_go_up_again_at_once)
{
    static uint32_t numbers[N], middle[N], got[N];
    struct trm_stream *up = stream_open(the.device, TRM_STREAM_UPLOAD);
    struct trm_buffer *a = NULL, *b = NULL;
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, sizeof(numbers), &a));
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, sizeof(numbers), &b));
    for (uint32_t round = 0; round < 20; round++) {
        struct trm_point point;
        for (uint32_t i = 0; i < N; i++)
            numbers[i] = i ^ round << 16;
        ck_ok(trm_upload(the.stream, trm_span_whole(a), numbers));
        ck_ok(affine_launch(the.stream, kernel, a, N, 1, 1));
        ck_ok(trm_download(the.stream, middle, trm_span_whole(a)));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(up, point));
        ck_ok(trm_upload(up, trm_span_whole(b), middle)); /* not there yet */
        ck_ok(trm_download(up, got, trm_span_whole(b)));
        ck_ok(trm_stream_sync(up));
        for (uint32_t i = 0; i < N; i++)
            ck_assert_uint_eq(got[i], (i ^ round << 16) + 1);
    }
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_stream_destroy(up);
}
END_TEST

START_TEST(large_copies_of_plain_memory_come_whole_beside_others)
{
    enum {
        BYTES = 9 << 20
    };
    uint8_t *sent = malloc(BYTES), *got = calloc(1, BYTES);
    struct trm_stream *small = stream_open(the.device, TRM_STREAM_COMPUTE);
    struct trm_buffer *large = NULL, *little = NULL;
    uint32_t numbers[16] = {0};
    ck_assert(sent && got);
    for (uint32_t i = 0; i < BYTES; i++)
        sent[i] = (uint8_t)(i * 2654435761u >> 24);
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, BYTES, &large));
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, sizeof(numbers), &little));
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

/* ---- suites ---- */

static void shape_as_plain(void)
{
    shim_shape(shape_plain);
}

static void shape_as_discrete(void)
{
    shim_shape(shape_discrete);
}

static void shape_as_minimal(void)
{
    shim_shape(shape_minimal);
}

static void add_cases(Suite *suite, const char *name, SFun shape)
{
    TCase *group = tcase_create(name);
    if (shape)
        tcase_add_checked_fixture(group, shape, NULL);
    tcase_add_checked_fixture(group, open_all, close_all);
    tcase_add_test(group, eight_threads_with_three_streams_each_do_not_disturb_each_other);
    tcase_add_test(group, streams_of_all_roles_hand_a_buffer_around);
    tcase_add_test(group, what_goes_down_may_go_up_again_at_once);
    tcase_add_test(group, large_copies_of_plain_memory_come_whole_beside_others);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("vulkan: streams");
    add_cases(suite, "the driver's own queue", NULL);
    add_cases(suite, "as it is", shape_as_plain);
    add_cases(suite, "discrete", shape_as_discrete);
    add_cases(suite, "minimal", shape_as_minimal);
    return run_suite(suite);
}
