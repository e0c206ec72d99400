/* Host callbacks in a stream.
 *
 * A callback that trm_stream_callback() accepts (TRM_OK) runs exactly once. One that it refuses, for example
 * because the stream has failed, never runs.
 *
 * A callback that waits for its own stream gets DEADLOCK. A callback that waits for another stream, which in
 * turn waits for this one to pass the callback, is not detected.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "base/base.h"
#include "core/stream/gates.h"
#include "core/stream/service.h"

/* A call that a thread waits for; on its stack. */
struct call {
    struct core_job job;
    const struct core_stream *stream;
    trm_callback_fn callback;
    void *user;
    int32_t status;
    _Atomic uint32_t done; /* futex */
};

/* The enqueueing thread blocks here, so the stream has no later operation for which another thread could
 * wait. */
static void call_now(const struct call *call)
{
    struct core_callback_frame frame;
    core_callback_push(&frame, call->stream, UINT64_MAX);
    call->callback(call->user, call->status);
    core_callback_pop(&frame);
}

static void call_run(struct core_job *job)
{
    struct call *call = base_container_of(job, struct call, job);
    call_now(call);
    atomic_store_explicit(&call->done, 1, memory_order_release);
    base_futex_wake(&call->done, 1);
}

static int32_t call_on_service(struct call *call)
{
    struct core_service *service;
    int32_t status = core_service_get(call->stream->object.context, &service);
    if (status != TRM_OK)
        return status;
    core_service_post(service, &call->job);
    while (atomic_load_explicit(&call->done, memory_order_acquire) == 0)
        base_futex_wait(&call->done, 0, BASE_NEVER);
    return TRM_OK;
}

/* For backends without gates: waits for the stream, then for the callback. */
static int32_t call_and_wait(struct core_stream *stream, trm_callback_fn callback, void *user)
{
    uint64_t last    = atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
    struct call call = {
        .job      = {.run = call_run},
        .stream   = stream,
        .callback = callback,
        .user     = user,
        .status   = core_stream_wait_value(stream, last, TRM_FOREVER),
    };
    if (call.status == TRM_ERROR_DEADLOCK)
        return call.status;
    int32_t status = TRM_OK;
    if (core_callback_current(NULL) == NULL)
        status = call_on_service(&call);
    else
        call_now(&call);
    if (status != TRM_OK)
        return status;
    core_stream_add(&stream->stats->host_waits, 1);
    core_stream_count(stream, &stream->stats->callbacks);
    return TRM_OK;
}

static int32_t call_by_gate(struct core_stream *stream, trm_callback_fn callback, void *user)
{
    uint64_t value = core_stream_next(stream);
    int32_t status = core_gate_callback(stream, callback, user);
    if (status == TRM_OK && atomic_load_explicit(&stream->observed, memory_order_relaxed) != 0)
        core_stream_observe_callback(stream, value);
    return status;
}

int32_t trm_stream_callback(struct trm_stream *handle, trm_callback_fn callback, void *user)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin_live(handle, "a callback", &stream);
    if (status != TRM_OK)
        return status;
    if (callback == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_stream_callback: `callback` is NULL");
    /* The callback may destroy the stream. */
    core_object_retain(&stream->object);
    if (core_stream_has_gates(stream))
        status = call_by_gate(stream, callback, user);
    else
        status = call_and_wait(stream, callback, user);
    core_object_release(&stream->object);
    return status;
}
