/* Threads that each have their own streams.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/workers.h"

#include "tests/check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/device/kernels.h"
#include "tests/scale.h"

enum {
    N = 3000 /* numbers of a buffer */
};

struct worker {
    pthread_t thread;
    struct trm_device *device;
    struct trm_kernel *affine;
    uint32_t number;
    const char *wrong;  /* NULL: nothing */
    char sentence[512]; /* of a call that failed */
    uint32_t numbers[N], got[N], got_by_pinned[N];
    struct trm_stream *upload, *compute, *download;
    struct trm_buffer *buffer, *pinned;
    atomic_uint called;
};

static void note_failure(struct worker *worker, int32_t status, const char *call)
{
    if (status == TRM_OK || worker->wrong)
        return;
    worker->wrong = call;
    snprintf(worker->sentence, sizeof(worker->sentence), "%s: %s", trm_status_name(status),
             trm_last_error().sentence);
}

#define NOTE(call) note_failure(worker, call, #call)

/* ---- a round ---- */

static void pass_on(struct worker *worker, struct trm_stream *from, struct trm_stream *to)
{
    struct trm_point point;
    NOTE(trm_stream_mark(from, &point));
    if (!worker->wrong)
        NOTE(trm_stream_wait(to, point));
}

static void count_call(void *user, int32_t status)
{
    struct worker *worker = user;
    if (status == TRM_OK)
        atomic_fetch_add(&worker->called, 1);
}

/* Three kernels and a callback, for which what comes down waits in some rounds, and in others not. */
static void compute(struct worker *worker, uint32_t round)
{
    bool waits_for_callback = round / 4 % 2 == 0;
    for (uint32_t k = 0; k < 3; k++)
        NOTE(affine_launch(worker->compute, worker->affine, worker->buffer, N, 2 * k + 3, k + round));
    if (waits_for_callback)
        NOTE(trm_stream_callback(worker->compute, count_call, worker));
    pass_on(worker, worker->compute, worker->download);
    if (!waits_for_callback)
        NOTE(trm_stream_callback(worker->compute, count_call, worker));
}

static void bring_down(struct worker *worker)
{
    NOTE(trm_copy(worker->download, trm_span_whole(worker->pinned), trm_span_whole(worker->buffer)));
    NOTE(trm_download(worker->download, worker->got_by_pinned, trm_span_whole(worker->pinned)));
    NOTE(trm_download(worker->download, worker->got, trm_span_whole(worker->buffer)));
}

/* Waits for what comes down, by one of the ways that there are. */
static void wait_somehow(struct worker *worker, uint32_t round)
{
    struct trm_point points[2];
    struct trm_event *event = NULL;
    uint32_t which          = 0;
    NOTE(trm_stream_mark(worker->compute, &points[0]));
    NOTE(trm_stream_mark(worker->download, &points[1]));
    if (worker->wrong)
        return;
    switch (round % 4) {
    case 0:
        NOTE(trm_stream_sync(worker->download));
        break;
    case 1:
        NOTE(trm_wait_any(&points[1], 1, TRM_FOREVER, &which));
        break;
    case 2:
        NOTE(trm_wait_all(points, 2, TRM_FOREVER));
        break;
    default:
        NOTE(trm_event_create(worker->device, 0, &event));
        NOTE(trm_event_record(event, worker->download));
        NOTE(trm_event_wait(event, TRM_FOREVER));
        trm_event_destroy(event);
    }
}

static void check_numbers(struct worker *worker, uint32_t round)
{
    for (uint32_t i = 0; i < N && !worker->wrong; i++) {
        uint32_t wanted = worker->numbers[i];
        for (uint32_t k = 0; k < 3; k++)
            wanted = wanted * (2 * k + 3) + k + round;
        if (worker->got[i] != wanted || worker->got_by_pinned[i] != wanted)
            worker->wrong = "a number is not what was computed";
    }
}

/* Up on one stream, computed on another, down on a third: and the next round overwrites what this one has
 * read. */
static void work_once(struct worker *worker, uint32_t round)
{
    for (uint32_t i = 0; i < N; i++)
        worker->numbers[i] = i * 31 + round * 1009 + worker->number;
    NOTE(trm_upload(worker->upload, trm_span_whole(worker->buffer), worker->numbers));
    pass_on(worker, worker->upload, worker->compute);
    compute(worker, round);
    bring_down(worker);
    pass_on(worker, worker->download, worker->upload);
    wait_somehow(worker, round);
    check_numbers(worker, round);
}

/* ---- threads ---- */

static void *work(void *user)
{
    struct worker *worker = user;
    uint32_t rounds       = scaled(40, 12);
    int32_t priority      = (int32_t)(worker->number % 3) - 1;
    NOTE(trm_stream_create(worker->device, TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL, &worker->upload));
    NOTE(trm_stream_create(worker->device, TRM_STREAM_COMPUTE, priority, &worker->compute));
    NOTE(trm_stream_create(worker->device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL, &worker->download));
    NOTE(trm_buffer_create(worker->device, TRM_MEMORY_DEVICE, sizeof(worker->numbers), &worker->buffer));
    NOTE(trm_buffer_create(worker->device, TRM_MEMORY_PINNED, sizeof(worker->numbers), &worker->pinned));
    for (uint32_t round = 0; round < rounds && !worker->wrong; round++)
        work_once(worker, round);
    trm_buffer_destroy(worker->buffer);
    trm_buffer_destroy(worker->pinned);
    trm_stream_destroy(worker->upload);
    trm_stream_destroy(worker->compute);
    trm_stream_destroy(worker->download);
    if (!worker->wrong && atomic_load(&worker->called) != rounds)
        worker->wrong = "callbacks were not called once each";
    return NULL;
}

void workers_run(struct trm_device *device, struct trm_kernel *affine, uint32_t count)
{
    struct worker *workers = calloc(count, sizeof(*workers));
    ck_assert_ptr_nonnull(workers);
    for (uint32_t i = 0; i < count; i++) {
        workers[i].device = device;
        workers[i].affine = affine;
        workers[i].number = i;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(!workers[i].wrong, "thread %u: %s: %s", i, workers[i].wrong, workers[i].sentence);
    free(workers);
}
