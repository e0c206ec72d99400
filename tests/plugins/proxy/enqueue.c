/* The proxy: what is enqueued on a stream, and the stream table.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "proxy.h"

enum {
    PROXY_FEW_ARGUMENTS = 64
};

/* ---- from our objects to the target's --------------------------------------------------------------- */

static struct trm_place proxy_place(const struct trm_backend_device *device, struct trm_place place,
                                    uint64_t size)
{
    if (place.memory == NULL) {
        if (place.host == NULL)
            proxy_breach("A copy has neither memory nor a host address.");
        return place;
    }
    if (place.memory->device != device)
        proxy_breach("A copy uses memory of another device.");
    proxy_check_range(place.memory, place.offset, size);
    place.memory = place.memory->target;
    return place;
}

/* Bytes from the first of a 2D copy to its last. */
static uint64_t proxy_extent(uint64_t pitch, uint64_t width, uint64_t height)
{
    if (pitch < width)
        proxy_breach("The rows of a 2D copy overlap.");
    return pitch * (height - 1) + width;
}

void proxy_translate_copy(const struct trm_backend_device *device, const struct trm_copy_desc *desc,
                          struct trm_copy_desc *theirs)
{
    if (desc->size == 0)
        proxy_breach("A copy of nothing is enqueued.");
    *theirs             = *desc;
    theirs->destination = proxy_place(device, desc->destination, desc->size);
    theirs->source      = proxy_place(device, desc->source, desc->size);
}

void proxy_translate_copy_2d(const struct trm_backend_device *device, const struct trm_copy_2d_desc *desc,
                             struct trm_copy_2d_desc *theirs)
{
    if (desc->width == 0 || desc->height == 0)
        proxy_breach("A copy of nothing is enqueued.");
    *theirs             = *desc;
    theirs->destination = proxy_place(device, desc->destination,
                                      proxy_extent(desc->destination_pitch, desc->width, desc->height));
    theirs->source =
        proxy_place(device, desc->source, proxy_extent(desc->source_pitch, desc->width, desc->height));
}

void proxy_translate_fill(const struct trm_fill_desc *desc, struct trm_fill_desc *theirs)
{
    if (desc->size == 0)
        proxy_breach("A fill of nothing is enqueued.");
    proxy_check_range(desc->memory, desc->offset, desc->size);
    *theirs        = *desc;
    theirs->memory = desc->memory->target;
}

void proxy_translate_launch(const struct trm_launch_desc *desc, struct trm_launch_argument *arguments,
                            struct trm_launch_desc *theirs)
{
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        arguments[i] = desc->arguments[i];
        if (arguments[i].memory == NULL)
            continue;
        proxy_check_range(arguments[i].memory, arguments[i].offset, arguments[i].size);
        arguments[i].memory = arguments[i].memory->target;
    }
    *theirs           = *desc;
    theirs->arguments = arguments;
}

static int32_t proxy_forward_copy(struct trm_backend_stream *stream, uint64_t value,
                                  const struct trm_copy_desc *desc)
{
    struct trm_copy_desc theirs;

    proxy_translate_copy(stream->device, desc, &theirs);
    return proxy_target.stream.copy(stream->target, value, &theirs);
}

static int32_t proxy_forward_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                                     const struct trm_copy_2d_desc *desc)
{
    struct trm_copy_2d_desc theirs;

    proxy_translate_copy_2d(stream->device, desc, &theirs);
    return proxy_target.stream.copy_2d(stream->target, value, &theirs);
}

static int32_t proxy_forward_fill(struct trm_backend_stream *stream, uint64_t value,
                                  const struct trm_fill_desc *desc)
{
    struct trm_fill_desc theirs;

    proxy_translate_fill(desc, &theirs);
    return proxy_target.stream.fill(stream->target, value, &theirs);
}

static int32_t proxy_forward_launch(struct trm_backend_stream *stream, uint64_t value,
                                    const struct trm_launch_desc *desc)
{
    const struct trm_host *host = stream->device->instance->host;
    struct trm_launch_argument few[PROXY_FEW_ARGUMENTS], *arguments = few;
    struct trm_launch_desc theirs;
    uint64_t bytes = sizeof(*arguments) * desc->argument_count;
    int32_t status;

    if (desc->argument_count > PROXY_FEW_ARGUMENTS) {
        arguments = proxy_new(host, bytes);
        if (arguments == NULL)
            return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    proxy_translate_launch(desc, arguments, &theirs);
    status = proxy_target.stream.launch(stream->target, value, &theirs);
    if (arguments != few)
        host->release(host->context, arguments, bytes);
    return status;
}

/* A stream that waits for what another has lost fails where it waits, after what it can still wait for. */
static int32_t proxy_forward_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                         struct trm_backend_stream *other, uint64_t other_value)
{
    int lost       = proxy_stream_lost(other, other_value);
    int32_t status = TRM_OK;

    if (other_value > atomic_load(&other->claimed))
        proxy_breach("A stream waits for a number that was never used.");
    if (lost)
        other_value = atomic_load(&other->forwarded);
    if (other_value != 0)
        status = proxy_target.stream.wait_stream(stream->target, value, other->target, other_value);
    if (status != TRM_OK || !lost)
        return status;
    if (other_value != 0)
        atomic_store(&stream->forwarded, value);
    proxy_stream_break(stream, value, atomic_load(&other->broken));
    return TRM_OK;
}

/* ---- the slots -------------------------------------------------------------------------------------- */

static int32_t proxy_stream_copy(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_copy_desc *desc)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_COPY);

    if (turn.forward)
        turn.status = proxy_forward_copy(stream, value, desc);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                                   const struct trm_launch_desc *desc)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_LAUNCH);

    if (turn.forward)
        turn.status = proxy_forward_launch(stream, value, desc);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                                    const struct trm_copy_2d_desc *desc)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_COPY_2D);

    if (turn.forward)
        turn.status = proxy_forward_copy_2d(stream, value, desc);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stream_fill(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_fill_desc *desc)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_FILL);

    if (turn.forward)
        turn.status = proxy_forward_fill(stream, value, desc);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stream_mark(struct trm_backend_stream *stream, uint64_t value)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_MARK);

    if (turn.forward)
        turn.status = proxy_target.stream.mark(stream->target, value);
    if (turn.forward && turn.status == TRM_OK)
        atomic_store(&stream->marked, value);
    turn.forward = 0; /* marking takes no number */
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                        struct trm_backend_stream *other, uint64_t other_value)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_WAIT_STREAM);

    if (turn.forward)
        turn.status = proxy_forward_wait_stream(stream, value, other, other_value);
    if (atomic_load(&stream->broken) != TRM_OK)
        turn.forward = 0;
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_stream_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_GATE);

    if (turn.forward)
        turn.status = proxy_target.stream.gate(stream->target, value);
    return proxy_stream_leave(stream, value, turn);
}

/* From any thread. A gate that was lost with its stream needs no opening, but those before it do. */
static void proxy_stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    (void)proxy_begin(NULL, PROXY_OPEN_GATES, NULL);
    proxy_target.stream.open_gates(stream->target, value);
}

static int32_t proxy_stream_prefetch(struct trm_backend_stream *stream, uint64_t value,
                                     struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                                     uint32_t to_host)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_PREFETCH);

    proxy_check_range(memory, offset, size);
    if (turn.forward)
        turn.status =
            proxy_target.stream.prefetch(stream->target, value, memory->target, offset, size, to_host);
    return proxy_stream_leave(stream, value, turn);
}

static const struct trm_stream_ops proxy_all_stream_ops = {
    .struct_size = sizeof(proxy_all_stream_ops),
    .create      = proxy_stream_create,
    .destroy     = proxy_stream_destroy,
    .copy        = proxy_stream_copy,
    .launch      = proxy_stream_launch,
    .copy_2d     = proxy_stream_copy_2d,
    .fill        = proxy_stream_fill,
    .mark        = proxy_stream_mark,
    .wait_stream = proxy_stream_wait_stream,
    .gate        = proxy_stream_gate,
    .open_gates  = proxy_stream_open_gates,
    .prefetch    = proxy_stream_prefetch,
    .flush       = proxy_stream_flush,
    .query       = proxy_stream_query,
    .wait        = proxy_stream_wait,
    .wait_any    = proxy_stream_wait_any,
    .notify      = proxy_stream_notify,
    .abandon     = proxy_stream_abandon,
};

static struct trm_stream_ops proxy_stream_ops;

int proxy_has_flush(void)
{
    return proxy_stream_ops.flush != NULL;
}

const struct trm_stream_ops *proxy_stream_table(const char *without)
{
    const struct trm_stream_ops *theirs = &proxy_target.stream;
    struct trm_stream_ops ops           = proxy_all_stream_ops;

    if (theirs->copy_2d == NULL || proxy_list_has(without, "copy_2d"))
        ops.copy_2d = NULL;
    if (theirs->fill == NULL || proxy_list_has(without, "fill"))
        ops.fill = NULL;
    if (theirs->mark == NULL || proxy_list_has(without, "mark"))
        ops.mark = NULL;
    if (theirs->wait_stream == NULL || proxy_list_has(without, "wait_stream"))
        ops.wait_stream = NULL;
    if (theirs->gate == NULL || theirs->open_gates == NULL || proxy_list_has(without, "gate")) {
        ops.gate       = NULL;
        ops.open_gates = NULL;
    }
    if (theirs->prefetch == NULL || proxy_list_has(without, "prefetch"))
        ops.prefetch = NULL;
    if (theirs->flush == NULL || proxy_list_has(without, "flush"))
        ops.flush = NULL;
    if (theirs->wait_any == NULL || proxy_list_has(without, "wait_any"))
        ops.wait_any = NULL;
    if (theirs->notify == NULL || proxy_list_has(without, "notify"))
        ops.notify = NULL;
    if (theirs->abandon == NULL || proxy_list_has(without, "abandon"))
        ops.abandon = NULL;
    proxy_stream_ops = ops;
    return &proxy_stream_ops;
}
