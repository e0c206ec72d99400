/* Copies between devices: directly where one device can access the other's memory, else staged through
 * the host.
 *
 * The local device is the stream's, the other one is remote. In a staged copy, the remote side's
 * operations run on a stream that is created for the copy, since the core's own stream on the remote
 * device must never wait for a program's stream. One side fills two pieces of host memory in turn and the
 * other one empties them; the streams wait for each other.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/staging.h"
#include "core/object/object.h"

#define PIECE (UINT64_C(2) << 20) /* bytes */
#define PIECES 2

/* A stream on the remote device; destroyed when its work has ended. */
struct remote_stream {
    struct core_deferred deferred;
    struct core_in_flight in_flight;
    struct core_context *context;
    struct core_stream *stream;
};

/* One staged copy. */
struct relay {
    struct core_stream *local, *remote;
    struct core_buffer *local_buffer, *remote_buffer;
    uint64_t local_at, remote_at; /* bytes */
    bool is_outgoing;             /* from local to remote */
    struct core_staging *staging[PIECES];
    uint64_t emptied[PIECES]; /* the emptying stream's last copy out of each piece; 0: none */
};

/* ---- directly ------------------------------------------------------------------------------ */

/* UNSUPPORTED, unexplained: the copy has to be staged. */
static int32_t check_access(struct core_device *device, const struct core_device *other)
{
    const struct core_backend *backend = device->backend;

    if (backend != other->backend || backend->peer.copy == NULL)
        return TRM_ERROR_UNSUPPORTED;
    base_error_clear();
    int32_t status =
        core_answer(backend, "peer.can_access", backend->peer.can_access(device->device, other->device));
    if (status == TRM_OK || status == TRM_ERROR_UNSUPPORTED)
        return status;
    return core_device_latch_loss(device, base_fail_backend(status));
}

static int32_t copy_directly(struct core_stream *stream, struct core_buffer *destination, uint64_t to,
                             struct core_buffer *source, uint64_t from, uint64_t size)
{
    uint64_t value            = core_stream_next(stream);
    struct trm_copy_desc desc = {
        .struct_size = sizeof(desc),
        .destination = core_place(destination, to),
        .source      = core_place(source, from),
        .size        = size,
    };

    base_error_clear();
    int32_t status = stream->device->backend->peer.copy(stream->backend, value, &desc);
    return core_stream_commit_work(stream, value, "peer.copy", status, CORE_WORK_COPY, size);
}

/* ---- kernels -------------------------------------------------------------------------------- */

int32_t core_peer_can_launch(struct core_device *device, const struct core_device *other)
{
    if (device == other)
        return TRM_OK;
    if (device->backend != other->backend || device->limits.has_peer_kernels == 0)
        return base_fail(TRM_ERROR_UNSUPPORTED, "kernels of %s cannot take buffers of %s", device->id,
                         other->id);
    if (device->backend->peer.can_access == NULL)
        return TRM_OK;
    int32_t status = check_access(device, other);
    return status == TRM_ERROR_UNSUPPORTED
               ? base_fail(status, "%s cannot access the memory of %s", device->id, other->id)
               : status;
}

int32_t core_peer_check_kernel(const struct core_buffer *buffer, struct core_device *device)
{
    int32_t status = core_peer_can_launch(device, buffer->device);

    return status == TRM_ERROR_UNSUPPORTED ? core_buffer_check_device(buffer, device) : status;
}

int32_t trm_device_can_access(struct trm_device *handle, struct trm_device *other_handle)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    struct core_device *other = core_object_enter(other_handle, CORE_DEVICE);
    if (other == NULL) {
        core_object_leave(&device->object);
        return base_last_status();
    }
    int32_t status = core_peer_can_launch(device, other);
    core_object_leave(&other->object);
    core_object_leave(&device->object);
    return status;
}

/* ---- through the host ---------------------------------------------------------------------- */

static void remote_destroy(struct core_deferred *item)
{
    struct remote_stream *remote = base_container_of(item, struct remote_stream, deferred);
    struct core_context *context = remote->context;

    core_in_flight_fini(context, &remote->in_flight);
    core_stream_end(remote->stream);
    core_object_release(&remote->stream->object);
    core_free(context, remote, sizeof(*remote));
}

static int32_t remote_create(struct core_device *device, struct remote_stream **remote)
{
    struct core_context *context = device->object.context;

    struct remote_stream *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("copying between devices");
    int32_t status = core_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, 0, &made->stream);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    core_object_publish(&made->stream->object);
    core_object_retain(&made->stream->object);
    made->context            = context;
    made->deferred.in_flight = &made->in_flight;
    made->deferred.destroy   = remote_destroy;
    *remote                  = made;
    return TRM_OK;
}

static uint64_t last_of(const struct core_stream *stream)
{
    return core_stream_next(stream) - 1;
}

/* Lets `stream` wait for everything that is enqueued on `other`. */
static int32_t follow(struct core_stream *stream, struct core_stream *other)
{
    uint64_t value;

    int32_t status = core_stream_mark(other, &value);
    return status != TRM_OK || value == 0 ? status : core_stream_wait_other(stream, other, value);
}

/* Enqueues half of a relay: a copy between a buffer and staging memory, on that buffer's device. */
static int32_t enqueue_half(struct core_stream *stream, struct core_buffer *buffer, uint64_t at,
                            struct core_staging *staging, bool into_buffer, uint64_t size)
{
    struct trm_place place = core_place(buffer, at);
    struct trm_place host =
        stream->device == staging->device ? core_staging_place(staging) : core_place_host(staging->memory);

    int32_t status = into_buffer ? core_copy_enqueue(stream, place, host, size)
                                 : core_copy_enqueue(stream, host, place, size);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&buffer->in_flight, stream, last_of(stream));
    core_in_flight_add(&staging->in_flight, stream, last_of(stream));
    return TRM_OK;
}

/* Relays the piece at `at` through staging memory number `which`. */
static int32_t relay_piece(struct relay *relay, uint32_t which, uint64_t at, uint64_t size)
{
    struct core_stream *filling     = relay->is_outgoing ? relay->local : relay->remote;
    struct core_stream *emptying    = relay->is_outgoing ? relay->remote : relay->local;
    struct core_buffer *source      = relay->is_outgoing ? relay->local_buffer : relay->remote_buffer;
    struct core_buffer *destination = relay->is_outgoing ? relay->remote_buffer : relay->local_buffer;
    uint64_t from                   = (relay->is_outgoing ? relay->local_at : relay->remote_at) + at;
    uint64_t to                     = (relay->is_outgoing ? relay->remote_at : relay->local_at) + at;
    int32_t status                  = TRM_OK;

    if (relay->emptied[which] != 0)
        status = core_stream_wait_other(filling, emptying, relay->emptied[which]);
    if (status == TRM_OK)
        status = enqueue_half(filling, source, from, relay->staging[which], false, size);
    if (status == TRM_OK)
        status = follow(emptying, filling);
    if (status == TRM_OK)
        status = enqueue_half(emptying, destination, to, relay->staging[which], true, size);
    if (status == TRM_OK)
        status = core_stream_mark(emptying, &relay->emptied[which]);
    return status;
}

static int32_t relay_run(struct relay *relay, uint64_t size)
{
    /* Operations that are on the local stream already come first on the remote one too. */
    int32_t status = follow(relay->remote, relay->local);

    for (uint32_t i = 0; status == TRM_OK && i < PIECES && i * PIECE < size; i++)
        status =
            core_staging_create(relay->local->device, size < PIECE ? size : PIECE, true, &relay->staging[i]);
    for (uint64_t at = 0; status == TRM_OK && at < size; at += PIECE) {
        uint64_t piece = size - at < PIECE ? size - at : PIECE;
        status         = relay_piece(relay, at / PIECE % PIECES, at, piece);
    }
    /* Later operations of the local stream come after the copy. */
    if (status == TRM_OK && relay->is_outgoing)
        status = follow(relay->local, relay->remote);
    return status;
}

/* At info once for each pair of devices; numbers of devices that are equal modulo 64 count as one. */
static void log_staging(const struct relay *relay, uint64_t size)
{
    const struct core_device *remote = relay->remote_buffer->device;
    uint64_t bit                     = UINT64_C(1) << core_object_number(&remote->object) % 64;
    uint64_t told = atomic_fetch_or_explicit(&relay->local->device->staged_with, bit, memory_order_relaxed);
    int32_t level = (told & bit) == 0 ? TRM_LOG_INFO : TRM_LOG_DEBUG;

    core_object_log(&relay->local->object, level,
                    "a copy of %" PRIu64 " bytes %s %s is staged through host memory: neither device has "
                    "access to the other's memory",
                    size, relay->is_outgoing ? "to" : "from", remote->id);
}

static int32_t copy_staged(struct relay *relay, uint64_t size)
{
    struct remote_stream *remote = NULL;

    log_staging(relay, size);
    int32_t status = remote_create(relay->remote_buffer->device, &remote);
    if (status != TRM_OK)
        return status;
    relay->remote = remote->stream;
    status        = relay_run(relay, size);
    for (uint32_t i = 0; i < PIECES; i++)
        core_staging_release(relay->staging[i]);
    if (last_of(remote->stream) != 0)
        core_in_flight_add(&remote->in_flight, remote->stream, last_of(remote->stream));
    core_device_defer(relay->local->device, &remote->deferred);
    return status;
}

/* ---- choosing ------------------------------------------------------------------------------ */

int32_t core_peer_copy(struct core_stream *stream, struct core_buffer *destination, uint64_t to,
                       struct core_buffer *source, uint64_t from, uint64_t size)
{
    bool is_outgoing           = source->device == stream->device;
    struct core_buffer *remote = is_outgoing ? destination : source;
    int32_t status;

    if (core_stream_is_recording(stream))
        return base_fail(TRM_ERROR_UNSUPPORTED, "a copy between two devices cannot be recorded into a graph");
    status = check_access(stream->device, remote->device);
    if (status == TRM_OK) {
        status = copy_directly(stream, destination, to, source, from, size);
    } else if (status != TRM_ERROR_UNSUPPORTED) {
        return status;
    } else if (remote->host != NULL) {
        struct trm_place host = core_place_host(remote->host + (is_outgoing ? to : from));
        if (is_outgoing)
            status = core_copy_enqueue(stream, host, core_place(source, from), size);
        else
            status = core_copy_enqueue(stream, core_place(destination, to), host, size);
    } else {
        struct relay relay = {
            .local         = stream,
            .local_buffer  = is_outgoing ? source : destination,
            .remote_buffer = remote,
            .local_at      = is_outgoing ? from : to,
            .remote_at     = is_outgoing ? to : from,
            .is_outgoing   = is_outgoing,
        };
        return copy_staged(&relay, size);
    }
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&destination->in_flight, stream, last_of(stream));
    core_in_flight_add(&source->in_flight, stream, last_of(stream));
    return TRM_OK;
}
