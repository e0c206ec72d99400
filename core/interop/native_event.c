/* Orders streams with an application's own use of the driver: hand-over, and the driver's events; see
 * <trireme/interop.h>.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/interop.h>

#include "core/interop/interop.h"
#include "core/stream/stream.h"

/* Submits all enqueued work to the driver. Only the calling thread enqueues, so nothing is held back
 * afterwards. */
static int32_t hand_over(struct core_stream *stream)
{
    uint64_t last  = atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
    int32_t status = core_stream_submit(stream, last);
    if (status != TRM_OK)
        return status;
    if (core_callback_would_deadlock(stream, last))
        return base_fail_static(
            TRM_ERROR_DEADLOCK,
            "handing over a stream in its own host callback would wait for the callback itself");
    base_error_clear();
    core_service_block();
    status = stream->device->backend->interop.hand_over(stream->backend, last);
    core_service_unblock();
    return status == TRM_OK ? TRM_OK : core_stream_commit_slow(stream, "interop.hand_over", status);
}

int32_t trm_stream_hand_over(struct trm_stream *handle)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin_live(handle, "handing over", &stream);
    if (status != TRM_OK)
        return status;
    if (stream->device->backend->interop.hand_over == NULL)
        return core_interop_missing(stream->device, "hand-over of streams");
    return hand_over(stream);
}

/* ---- events ----------------------------------------------------------------------------------- */

typedef int32_t (*event_fn)(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native);

static int32_t enqueue(struct core_stream *stream, const char *slot, event_fn call, int32_t type,
                       uint64_t native, uint64_t *counter)
{
    if (call == NULL)
        return core_interop_missing(stream->device, "native events");
    int32_t status = stream->device->backend->interop.hand_over != NULL ? hand_over(stream) : TRM_OK;
    if (status != TRM_OK)
        return status;
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    status = call(stream->backend, value, type, native);
    if (counter != NULL)
        status = core_stream_commit_wait(stream, value, slot, status,
                                         (struct core_wait){.kind = TRM_PROFILE_WAIT_NATIVE});
    else
        status = core_stream_commit(stream, value, slot, status);
    if (status == TRM_OK)
        core_stream_count(stream, counter);
    return status;
}

int32_t trm_stream_wait_native(struct trm_stream *handle, int32_t type, uint64_t native)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin_live(handle, "waiting for a native event", &stream);
    if (status == TRM_OK)
        status = core_interop_check_native(type, CORE_NATIVE_EVENT);
    if (status != TRM_OK)
        return status;
    return enqueue(stream, "interop.event_wait", stream->device->backend->interop.event_wait, type, native,
                   &stream->stats->waits);
}

int32_t trm_stream_record_native(struct trm_stream *handle, int32_t type, uint64_t native)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin_live(handle, "recording a native event", &stream);
    if (status == TRM_OK)
        status = core_interop_check_native(type, CORE_NATIVE_EVENT);
    if (status != TRM_OK)
        return status;
    return enqueue(stream, "interop.event_record", stream->device->backend->interop.event_record, type,
                   native, NULL);
}
