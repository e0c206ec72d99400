/* The scenario: what streams do.
 * SPDX-License-Identifier: MIT
 */
#include <unistd.h>

#include "tests/device/kernels.h"
#include "tests/device/scenario_inside.h"

/* ---- working: a ← sent, a ← a × 3 + 1, b ← a, got ← b ---- */

static int32_t upload_small(struct scenario_things *things)
{
    return trm_upload(things->upload, trm_span_whole(things->a), things->sent);
}

static int32_t order(struct scenario_things *things)
{
    struct trm_point point;
    int32_t status = trm_stream_mark(things->upload, &point);
    return status == TRM_OK ? trm_stream_wait(things->stream, point) : status;
}

static int32_t launch(struct scenario_things *things)
{
    return affine_launch(things->stream, things->kernel, things->a, SCENARIO_COUNT, 3, 1);
}

static int32_t fill(struct scenario_things *things)
{
    int32_t status = trm_fill(things->stream, trm_span_whole(things->b), 0x12, 1);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_of(things->b, 4, 30), 0x1234, 2);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_of(things->b, 8, 64), UINT64_C(0x123456789abcdef0), 8);
    return status;
}

static int32_t copy_rows(struct scenario_things *things)
{
    struct trm_rows to   = {.buffer = things->b, .pitch = 200};
    struct trm_rows from = {.buffer = things->a, .pitch = 200};
    int32_t status       = trm_copy_2d(things->stream, &to, &from, 100, SCENARIO_BYTES / 200);
    if (status == TRM_OK)
        status = trm_copy(things->stream, trm_span_whole(things->b), trm_span_whole(things->a));
    return status;
}

static int32_t copy_pinned(struct scenario_things *things)
{
    int32_t status = trm_copy(things->stream, trm_span_whole(things->pinned), trm_span_whole(things->b));
    if (status == TRM_OK && things->imported)
        status = trm_copy(things->stream, trm_span_whole(things->imported), trm_span_whole(things->b));
    if (status == TRM_OK && things->unified)
        status = trm_copy(things->stream, trm_span_whole(things->unified), trm_span_whole(things->b));
    return status;
}

static int32_t prefetch(struct scenario_things *things)
{
    if (!things->unified)
        return TRM_OK;
    int32_t status = trm_prefetch(things->stream, trm_span_whole(things->unified), 1);
    if (status == TRM_OK)
        status = trm_prefetch(things->stream, trm_span_whole(things->unified), 0);
    return status;
}

static int32_t download_small(struct scenario_things *things)
{
    struct trm_point point;
    int32_t status = trm_stream_mark(things->stream, &point);
    if (status == TRM_OK)
        status = trm_stream_wait(things->download, point);
    if (status == TRM_OK)
        status = trm_download(things->download, things->got, trm_span_whole(things->b));
    return status == TRM_OK ? trm_stream_sync(things->download) : status;
}

static int32_t large_copies(struct scenario_things *things)
{
    int32_t status = trm_upload(things->upload, trm_span_whole(things->large), scenario_large_sent);
    if (status == TRM_OK)
        status = trm_download(things->upload, scenario_large_got, trm_span_whole(things->large));
    return status == TRM_OK ? trm_stream_sync(things->upload) : status;
}

static int32_t ordered_memory(struct scenario_things *things)
{
    int32_t status = trm_stream_alloc(things->stream, 3 * SCENARIO_BYTES, &things->ordered);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_whole(things->ordered), 1, 1);
    if (status == TRM_OK)
        status = trm_stream_free(things->stream, things->ordered);
    if (status == TRM_OK)
        things->ordered = NULL;
    return status;
}

static void count_callback(void *user, int32_t status)
{
    struct scenario_things *things = user;
    (void)status;
    atomic_fetch_add(&things->callbacks, 1);
}

static int32_t call_back(struct scenario_things *things)
{
    int32_t status = trm_stream_callback(things->stream, count_callback, things);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_whole(things->large), 7, 1);
    return status == TRM_OK ? trm_stream_sync(things->stream) : status;
}

static int32_t events(struct scenario_things *things)
{
    int64_t nanoseconds = 0;
    int32_t status      = trm_event_create(things->device, 0, &things->event);
    if (status == TRM_OK)
        status = trm_event_create(things->device, TRM_EVENT_TIMING, &things->start);
    if (status == TRM_OK)
        status = trm_event_create(things->device, TRM_EVENT_TIMING, &things->end);
    if (status == TRM_OK)
        status = trm_event_record(things->start, things->stream);
    if (status == TRM_OK)
        status = affine_launch(things->stream, things->kernel, things->b, SCENARIO_COUNT, 1, 0);
    if (status == TRM_OK)
        status = trm_event_record(things->end, things->stream);
    if (status == TRM_OK)
        status = trm_event_record(things->event, things->stream);
    if (status == TRM_OK)
        status = trm_event_wait(things->event, TRM_FOREVER);
    return status == TRM_OK ? trm_event_elapsed(things->start, things->end, &nanoseconds) : status;
}

static int32_t wait_for_any(struct scenario_things *things)
{
    struct trm_point points[2];
    uint32_t which = 0;
    int32_t status = trm_fill(things->stream, trm_span_whole(things->large), 3, 1);
    if (status == TRM_OK)
        status = trm_stream_mark(things->stream, &points[0]);
    if (status == TRM_OK)
        status = trm_fill(things->download, trm_span_whole(things->a), 3, 1);
    if (status == TRM_OK)
        status = trm_stream_mark(things->download, &points[1]);
    if (status == TRM_OK)
        status = trm_wait_any(points, 2, TRM_FOREVER, &which);
    return status == TRM_OK ? trm_wait_all(points, 2, TRM_FOREVER) : status;
}

/* ---- what others may have too ---- */

static int32_t share_memory(struct scenario_things *things)
{
    int32_t fd = -1, status = trm_buffer_create_exportable(things->device, SCENARIO_BYTES, &things->shared);
    uint64_t size = 0;
    if (status != TRM_OK)
        return scenario_may_lack(status);
    status = trm_buffer_export(things->shared, TRM_HANDLE_OPAQUE_FD, &fd, &size);
    if (status != TRM_OK)
        return status;
    status = trm_buffer_import(things->device, TRM_HANDLE_OPAQUE_FD, fd, size, &things->theirs);
    if (status != TRM_OK) {
        close(fd);
        return status;
    }
    return trm_copy(things->stream, trm_span_of(things->theirs, 0, SCENARIO_BYTES),
                    trm_span_whole(things->b));
}

const struct scenario_step scenario_working[] = {
    SCENARIO_STEP(upload_small),   SCENARIO_STEP(order),          SCENARIO_STEP(launch),
    SCENARIO_STEP(fill),           SCENARIO_STEP(copy_rows),      SCENARIO_STEP(copy_pinned),
    SCENARIO_STEP(prefetch),       SCENARIO_STEP(download_small), SCENARIO_STEP(large_copies),
    SCENARIO_STEP(ordered_memory), SCENARIO_STEP(call_back),      SCENARIO_STEP(events),
    SCENARIO_STEP(wait_for_any),   SCENARIO_STEP(share_memory),   {NULL, NULL},
};
