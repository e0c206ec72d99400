/* The timed backend: what is enqueued on a stream.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <string.h>

/* A new operation, with the lock held from here to timed_enqueue_end(); not held when it fails. */
static int32_t timed_enqueue_begin(struct trm_backend_stream *stream, enum timed_operation_kind kind,
                                   uint64_t value, struct timed_operation **operation)
{
    struct trm_backend_instance *instance = stream->device->instance;
    const struct trm_host *host           = instance->host;
    struct timed_operation *made;
    struct timed_failure failure;

    pthread_mutex_lock(&instance->lock);
    if (stream->failure.status != TRM_OK) {
        failure = stream->failure;
        pthread_mutex_unlock(&instance->lock);
        return host->fail(host->context, failure.status, failure.native_code, failure.sentence);
    }
    made = stream->spare;
    if (made != NULL) {
        stream->spare = made->next;
    } else {
        made = timed_new(host, sizeof(*made));
        if (made == NULL) {
            pthread_mutex_unlock(&instance->lock);
            return TRM_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    made->next           = NULL;
    made->stream         = stream;
    made->kind           = kind;
    made->value          = value;
    made->ready          = timed_now();
    made->open           = 0;
    made->other          = NULL;
    made->failure.status = TRM_OK;
    *operation           = made;
    return TRM_OK;
}

static int32_t timed_enqueue_end(struct timed_operation *operation)
{
    struct trm_backend_stream *stream     = operation->stream;
    struct trm_backend_instance *instance = stream->device->instance;

    if (stream->last != NULL)
        stream->last->next = operation;
    else
        stream->first = operation;
    stream->last = operation;
    if (stream->first == operation) {
        timed_stream_touch(stream);
        timed_settle(instance);
    }
    pthread_mutex_unlock(&instance->lock);
    return TRM_OK;
}

/* ---- copies ----------------------------------------------------------------------------------------- */

static unsigned char *timed_place_address(const struct trm_place *place)
{
    if (place->memory != NULL)
        return place->memory->bytes + place->offset;
    return place->host;
}

static int timed_place_on_device(const struct trm_place *place)
{
    return place->memory != NULL && place->memory->kind == TRM_MEMORY_DEVICE;
}

static enum timed_engine_kind timed_copy_direction(const struct trm_copy_desc *desc)
{
    int from_device = timed_place_on_device(&desc->source);
    int to_device   = timed_place_on_device(&desc->destination);

    if (from_device == to_device)
        return TIMED_COMPUTE;
    return to_device ? TIMED_UPLOAD : TIMED_DOWNLOAD;
}

static enum timed_engine_kind timed_engine_of(const struct trm_backend_stream *stream,
                                              enum timed_engine_kind kind)
{
    switch (stream->role) {
    case TRM_STREAM_UPLOAD:
        return TIMED_UPLOAD;
    case TRM_STREAM_COMPUTE:
        return TIMED_COMPUTE;
    case TRM_STREAM_DOWNLOAD:
        return TIMED_DOWNLOAD;
    default:
        return kind;
    }
}

static int timed_is_pageable(const struct trm_copy_desc *desc)
{
    return desc->source.memory == NULL || desc->destination.memory == NULL;
}

int32_t timed_stream_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    const struct timed_settings *settings = &stream->device->instance->settings;
    enum timed_engine_kind direction      = timed_copy_direction(desc);
    struct timed_operation *operation;
    int32_t status = timed_enqueue_begin(stream, TIMED_COPY, value, &operation);

    if (status != TRM_OK)
        return status;
    operation->engine      = timed_engine_of(stream, direction);
    operation->destination = timed_place_address(&desc->destination);
    operation->source      = timed_place_address(&desc->source);
    operation->size        = desc->size;
    operation->duration    = settings->copy_ns[direction];
    if (settings->speed[direction] != 0)
        operation->duration += (uint64_t)((double)desc->size * 1e9 / (double)settings->speed[direction]);
    if (timed_is_pageable(desc))
        operation->duration += settings->pageable_ns;
    return timed_enqueue_end(operation);
}

/* ---- launches and stamps ---------------------------------------------------------------------------- */

int32_t timed_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_launch_desc *desc)
{
    uint64_t keeps = stream->device->instance->settings.enqueue_ns;
    struct timed_operation *operation;

    if (keeps != 0)
        timed_sleep_until(timed_now() + keeps);
    int32_t status = timed_enqueue_begin(stream, TIMED_LAUNCH, value, &operation);
    if (status != TRM_OK)
        return status;
    operation->engine           = timed_engine_of(stream, TIMED_COMPUTE);
    operation->duration         = timed_launch_duration(stream->device, desc);
    operation->launch           = *desc;
    operation->launch.arguments = NULL;
    timed_launch_pack(desc, operation->block);
    return timed_enqueue_end(operation);
}

int32_t timed_stamp_record(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stamp *stamp)
{
    struct timed_operation *operation;
    int32_t status = timed_enqueue_begin(stream, TIMED_STAMP, value, &operation);

    if (status != TRM_OK)
        return status;
    operation->stamp = stamp;
    return timed_enqueue_end(operation);
}

/* ---- waits and gates -------------------------------------------------------------------------------- */

/* A wait is open at once when the other one is there already; else the other one opens it when it gets there.
 * So it may end before this stream comes to the wait. */
int32_t timed_stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                 struct trm_backend_stream *other, uint64_t other_value)
{
    struct timed_operation *operation;
    int32_t status = timed_enqueue_begin(stream, TIMED_WAIT, value, &operation);

    if (status != TRM_OK)
        return status;
    operation->open = other->completed >= other_value || other->failure.status != TRM_OK;
    if (other->completed < other_value)
        operation->failure = other->failure;
    operation->other       = other;
    operation->other_value = other_value;
    if (!operation->open) {
        operation->next_waiter = other->waiters;
        other->waiters         = operation;
    }
    return timed_enqueue_end(operation);
}

int32_t timed_stream_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct timed_operation *operation;
    int32_t status = timed_enqueue_begin(stream, TIMED_GATE, value, &operation);

    if (status != TRM_OK)
        return status;
    operation->open = stream->gates >= value;
    return timed_enqueue_end(operation);
}

void timed_stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    struct trm_backend_instance *instance = stream->device->instance;
    uint64_t now                          = timed_now();

    pthread_mutex_lock(&instance->lock);
    if (stream->gates < value)
        stream->gates = value;
    for (struct timed_operation *operation = stream->first; operation != NULL; operation = operation->next) {
        if (operation->kind == TIMED_GATE && operation->value <= value && !operation->open) {
            operation->open  = 1;
            operation->ready = now;
        }
    }
    timed_stream_touch(stream);
    timed_settle(instance);
    pthread_mutex_unlock(&instance->lock);
}
