/* Points: places in streams, waiting for them, and descriptors of them for event loops.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/point.h>

#include <inttypes.h>

#include "base/base.h"
#include "core/stream/signal.h"
#include "core/stream/stream_object.h"

struct core_stream *core_point_enter(struct trm_point point)
{
    struct core_stream *stream = core_object_enter(point.stream, CORE_STREAM);
    if (stream == NULL)
        return NULL;
    uint64_t enqueued = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    if (point.value <= enqueued && core_stream_check_live(stream) == TRM_OK)
        return stream;
    core_object_leave(&stream->object);
    if (point.value <= enqueued)
        return NULL;
    base_fail(TRM_ERROR_OUT_OF_RANGE,
              "the point has the value %" PRIu64 ", but only %" PRIu64
              " operations are enqueued on its stream",
              point.value, enqueued);
    return NULL;
}

int32_t trm_point_wait(struct trm_point point, uint64_t timeout_ns)
{
    struct core_stream *stream = core_point_enter(point);
    if (stream == NULL)
        return base_last_status();
    int32_t status = core_stream_wait_pinned(stream, point.value, timeout_ns);
    core_object_leave(&stream->object);
    return status;
}

int32_t trm_point_done(struct trm_point point)
{
    return trm_point_wait(point, 0);
}

static int32_t check_points(const struct trm_point *points, uint32_t count)
{
    const struct core_context *context = NULL;
    int32_t status                     = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < count; i++) {
        struct core_stream *stream = core_point_enter(points[i]);
        if (stream == NULL)
            return base_last_status();
        if (context != NULL && stream->object.context != context)
            status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "the points belong to streams of two contexts");
        context = stream->object.context;
        /* Submit all before the first wait. */
        if (status == TRM_OK && core_stream_failure_status(stream) == TRM_OK)
            core_stream_submit(stream, points[i].value);
        core_object_leave(&stream->object);
    }
    return status;
}

/* Stops at the first failure. */
int32_t trm_wait_all(const struct trm_point *points, uint32_t count, uint64_t timeout_ns)
{
    uint64_t deadline = base_deadline(timeout_ns);
    if (count != 0 && points == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_wait_all: `points` is NULL");
    int32_t status = check_points(points, count);
    for (uint32_t i = 0; status == TRM_OK && i < count; i++)
        status = trm_point_wait(points[i], base_remaining(deadline));
    return status;
}

/* ---- descriptors --------------------------------------------------------------------------- */

/* False: the backend need not be asked. */
static bool may_have_ended(const struct core_stream *stream, uint64_t value)
{
    return stream->ops->flush == NULL ||
           atomic_load_explicit(&stream->flushed, memory_order_relaxed) >= value;
}

/* The stream is entered. A backend that runs work in the calling thread may do so before this returns, unless
 * the work was submitted to another thread first. */
static int32_t watch(struct core_stream *stream, uint64_t value, struct core_signal *signal)
{
    if (!may_have_ended(stream, value) || !core_stream_has_finished(stream, value)) {
        int32_t status = core_signal_add(signal, stream, value);
        if (status != TRM_OK && core_stream_failure_status(stream) == TRM_OK)
            return status;
        if (core_signal_is_waiting(signal) && core_stream_submit(stream, value) != TRM_OK)
            core_signal_raise(signal); /* trm_point_done() tells why */
    }
    base_error_clear();
    core_signal_arm(signal);
    return TRM_OK;
}

int32_t trm_point_fd(struct trm_point point, int32_t *descriptor)
{
    struct core_signal *signal;
    int32_t status = core_output_check(descriptor, "trm_point_fd", "descriptor");
    if (status != TRM_OK)
        return status;
    struct core_stream *stream = core_point_enter(point);
    if (stream == NULL)
        return base_last_status();
    status = core_signal_create(stream->object.context, &signal);
    if (status == TRM_OK) {
        status = watch(stream, point.value, signal);
        if (status == TRM_OK)
            status = core_signal_open(signal, "trm_point_fd", descriptor);
        core_signal_release(signal);
    }
    core_object_leave(&stream->object);
    return status;
}
