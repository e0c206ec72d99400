/* Holds of the program's streams, by what enqueues on them.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream_object.h"

#include "base/base.h"
#include "core/object/object.h"
#include "core/stream/deferred.h"
#include "core/stream/service.h"

/* In core_stream.holders, beside their number: the program has destroyed the stream. */
#define DESTROYED (1u << 31)

static int32_t check_holdable(const struct core_stream *stream)
{
    uint32_t flags = atomic_load_explicit(&stream->flags, memory_order_relaxed);
    if (core_stream_is_recording(stream))
        return base_fail(TRM_ERROR_UNSUPPORTED, "the stream records into a graph and runs nothing");
    if (flags & CORE_STREAM_OWNED)
        return base_fail(TRM_ERROR_UNSUPPORTED, "the stream belongs to a thread and ends with it");
    if (flags & CORE_STREAM_OF_POOL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "the stream belongs to a pool, which lends it");
    if (!core_stream_is_ordinary(stream))
        return base_fail(TRM_ERROR_UNSUPPORTED, "the stream takes graphs alone");
    return TRM_OK;
}

/* Adds a hold. False: the program has destroyed the stream. From then on the number only falls, so exactly
 * one hold is the last to end. */
static bool count_hold(struct core_stream *stream)
{
    uint32_t holders = atomic_load(&stream->holders);
    while ((holders & DESTROYED) == 0)
        if (atomic_compare_exchange_weak(&stream->holders, &holders, holders + 1))
            return true;
    return false;
}

static int32_t hold(struct core_stream *stream, struct trm_stream *handle, struct trm_stream **held)
{
    void *second;
    int32_t status = check_holdable(stream);
    if (status == TRM_OK)
        status = core_object_hold(handle, CORE_STREAM, &second);
    if (status != TRM_OK)
        return status;
    if (count_hold(stream)) {
        *held = second;
        return TRM_OK;
    }
    core_object_end_hold(second);
    return base_fail(TRM_ERROR_INVALID_HANDLE, "the stream has been destroyed");
}

int32_t core_stream_hold(struct trm_stream *handle, struct trm_stream **held)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    int32_t status = hold(stream, handle, held);
    core_object_leave(&stream->object);
    return status;
}

/* Runs on the service thread, after the callback in which the last hold ended. */
static void close_later(struct core_job *job)
{
    struct core_stream *stream = base_container_of(job, struct core_stream, ending);
    struct core_device *device = stream->device;
    core_stream_close(stream);
    core_object_end_hold(stream->last_hold);
    core_object_release(&stream->object);
    core_device_reap_ended(device);
    core_object_release(&device->object);
}

void core_stream_end_hold(struct trm_stream *held)
{
    struct core_stream *stream = held != NULL ? core_stream_find(held) : NULL;
    if (stream == NULL)
        return;
    bool is_last = atomic_fetch_sub(&stream->holders, 1) == (DESTROYED | 1);
    if (is_last && core_callback_is_inside(stream)) {
        stream->last_hold = held;
        core_stream_post(stream, close_later);
        return;
    }
    if (is_last)
        core_stream_close(stream);
    core_object_end_hold(held);
}

void core_stream_end_or_let_go(struct core_stream *stream)
{
    if ((atomic_fetch_or(&stream->holders, DESTROYED) & ~DESTROYED) == 0)
        core_stream_end(stream);
    else
        core_object_kill(&stream->object);
}
