/* Copies between devices: directly where one reaches the other, else by way of the host.
 *
 * One of the two is the stream's device (the near one); the other is far. By way of the host, the
 * far side's copies run on a stream of their own that is made for the purpose, since the core's
 * stream on the far device must never come to wait for the program's. Two pieces of host memory
 * are in turn filled by one side and emptied by the other; the streams wait for each other.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/staging.h"

#define PIECE (UINT64_C(2) << 20) /* bytes */
#define PIECES 2

/* A stream on the far device; goes when its work has ended. */
struct far_stream {
    struct core_deferred deferred;
    struct core_in_flight in_flight;
    struct core_context *context;
    struct core_stream *stream;
};

/* One staged copy. */
struct relay {
    struct core_stream *near, *far;
    struct core_buffer *near_buffer, *far_buffer;
    uint64_t near_at, far_at; /* bytes */
    int32_t outwards;         /* 1: from near to far */
    struct core_staging *staging[PIECES];
    uint64_t emptied[PIECES]; /* number, on the emptying stream, of the last copy out of the piece; 0: none */
};

/* ---- directly ------------------------------------------------------------------------------ */

static bool reaches(const struct core_device *device, const struct core_device *other)
{
    const struct trm_peer_ops *peer = &device->backend->peer;

    return device->backend == other->backend && peer->copy != NULL && peer->can_access != NULL &&
           peer->can_access(device->device, other->device) == TRM_OK;
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
    return core_stream_commit(stream, value, status);
}

/* ---- by way of the host -------------------------------------------------------------------- */

static void far_go(struct core_deferred *item)
{
    struct far_stream *far       = base_container_of(item, struct far_stream, deferred);
    struct core_context *context = far->context;

    core_in_flight_fini(context, &far->in_flight);
    core_stream_end(far->stream);
    core_object_release(&far->stream->object);
    core_free(context, far, sizeof(*far));
}

static int32_t far_create(struct core_device *device, struct far_stream **far)
{
    struct core_context *context = device->object.context;

    struct far_stream *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("copying between devices");
    int32_t status = core_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, 0, &made->stream);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    core_object_retain(&made->stream->object);
    made->context            = context;
    made->deferred.in_flight = &made->in_flight;
    made->deferred.destroy   = far_go;
    *far                     = made;
    return TRM_OK;
}

static uint64_t last_of(const struct core_stream *stream)
{
    return core_stream_next(stream) - 1;
}

/* Have `stream` wait for everything that `other` has been given so far. */
static int32_t follow(struct core_stream *stream, struct core_stream *other)
{
    uint64_t value;

    int32_t status = core_stream_mark(other, &value);
    return status != TRM_OK || value == 0 ? status : core_stream_wait_other(stream, other, value);
}

/* One half of a piece's way: a copy between a buffer and the host memory, on that buffer's
 * device. */
static int32_t half(struct core_stream *stream, struct core_buffer *buffer, uint64_t at,
                    struct core_staging *staging, int32_t into_buffer, uint64_t size)
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

/* The piece at `at`, by staging number `which`. */
static int32_t relay_piece(struct relay *relay, uint32_t which, uint64_t at, uint64_t size)
{
    struct core_stream *filling     = relay->outwards ? relay->near : relay->far;
    struct core_stream *emptying    = relay->outwards ? relay->far : relay->near;
    struct core_buffer *source      = relay->outwards ? relay->near_buffer : relay->far_buffer;
    struct core_buffer *destination = relay->outwards ? relay->far_buffer : relay->near_buffer;
    uint64_t from                   = (relay->outwards ? relay->near_at : relay->far_at) + at;
    uint64_t to                     = (relay->outwards ? relay->far_at : relay->near_at) + at;
    int32_t status                  = TRM_OK;

    if (relay->emptied[which] != 0)
        status = core_stream_wait_other(filling, emptying, relay->emptied[which]);
    if (status == TRM_OK)
        status = half(filling, source, from, relay->staging[which], 0, size);
    if (status == TRM_OK)
        status = follow(emptying, filling);
    if (status == TRM_OK)
        status = half(emptying, destination, to, relay->staging[which], 1, size);
    if (status == TRM_OK)
        status = core_stream_mark(emptying, &relay->emptied[which]);
    return status;
}

static int32_t relay_run(struct relay *relay, uint64_t size)
{
    /* What the near stream was given before comes first on the far one too. */
    int32_t status = follow(relay->far, relay->near);

    for (uint32_t i = 0; status == TRM_OK && i < PIECES && i * PIECE < size; i++)
        status = core_staging_create(relay->near->device, size < PIECE ? size : PIECE, 1, &relay->staging[i]);
    for (uint64_t at = 0; status == TRM_OK && at < size; at += PIECE) {
        uint64_t piece = size - at < PIECE ? size - at : PIECE;
        status         = relay_piece(relay, at / PIECE % PIECES, at, piece);
    }
    /* What it is given after, comes after. */
    if (status == TRM_OK && relay->outwards)
        status = follow(relay->near, relay->far);
    return status;
}

static int32_t copy_by_host(struct relay *relay, uint64_t size)
{
    struct far_stream *far = NULL;

    int32_t status = far_create(relay->far_buffer->device, &far);
    if (status != TRM_OK)
        return status;
    relay->far = far->stream;
    status     = relay_run(relay, size);
    for (uint32_t i = 0; i < PIECES; i++)
        core_staging_release(relay->staging[i]);
    if (last_of(far->stream) != 0)
        core_in_flight_add(&far->in_flight, far->stream, last_of(far->stream));
    core_device_defer(relay->near->device, &far->deferred);
    return status;
}

/* ---- choosing ------------------------------------------------------------------------------ */

int32_t core_peer_copy(struct core_stream *stream, struct core_buffer *destination, uint64_t to,
                       struct core_buffer *source, uint64_t from, uint64_t size)
{
    int32_t outwards        = source->device == stream->device;
    struct core_buffer *far = outwards ? destination : source;
    int32_t status;

    if (core_stream_is_recording(stream))
        return base_fail(TRM_ERROR_UNSUPPORTED, "a copy between two devices cannot be recorded into a graph");
    if (reaches(stream->device, far->device)) {
        status = copy_directly(stream, destination, to, source, from, size);
    } else if (far->host != NULL) {
        struct trm_place host = core_place_host(far->host + (outwards ? to : from));
        status                = outwards ? core_copy_enqueue(stream, host, core_place(source, from), size)
                                         : core_copy_enqueue(stream, core_place(destination, to), host, size);
    } else {
        struct relay relay = {
            .near        = stream,
            .near_buffer = outwards ? source : destination,
            .far_buffer  = far,
            .near_at     = outwards ? from : to,
            .far_at      = outwards ? to : from,
            .outwards    = outwards,
        };
        return copy_by_host(&relay, size);
    }
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&destination->in_flight, stream, last_of(stream));
    core_in_flight_add(&source->in_flight, stream, last_of(stream));
    return TRM_OK;
}
