/* Gates: how a stream waits, on the device, for something that happens on the host.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/gates.h"

#include <stddef.h>
#include <string.h>

#include "core/stream/notify.h"
#include "core/stream/service.h"

/* Gates that are cached for a stream's further callbacks and waits. */
#define SPARE_GATES 16u

/* A gate pins its stream, and holds a reference of the other stream, from its enqueueing until it opens. */
struct core_gate {
    struct core_gate *next; /* in its stream's list */
    struct core_stream *stream;
    struct core_service *service;
    uint64_t value; /* the gate's own operation */

    /* What it waits for: a point of another stream, or of its own for a callback. */
    struct core_stream *other;
    uint64_t other_value;
    trm_callback_fn callback; /* NULL: none */
    void *user;

    struct core_notification notification;
    struct core_job job;
    int32_t status;    /* TRM_OK, or the failure of `other`; written before the job is posted */
    bool is_unwatched; /* there is no notification: the job itself waits for `other` */
    bool is_ready;     /* `other` has reached its value, or failed; under device->lock */
};

/* Runs on any thread. The service thread does the rest, since that calls the backend and the program. */
static void gate_notified(struct core_notification *notification, int32_t status)
{
    struct core_gate *gate = base_container_of(notification, struct core_gate, notification);
    gate->status           = status;
    core_service_post(gate->service, &gate->job);
}

/* ---- on the service thread ---------------------------------------------------------------------- */

static void run_callback(const struct core_gate *gate)
{
    struct core_callback_frame frame;
    int32_t status = core_stream_failure_status(gate->stream);
    core_callback_push(&frame, gate->stream, gate->value);
    gate->callback(gate->user, status != TRM_OK ? status : gate->status);
    core_callback_pop(&frame);
}

/* Fails the stream with the sentence of the stream that it waited for. True: the backend skips what is
 * enqueued behind the gate. False: it cannot; that work will run, but counts as failed. */
static bool abandon_stream(const struct core_gate *gate)
{
    struct core_stream *stream = gate->stream;
    int32_t status             = core_stream_query(gate->other, gate->other_value);
    if (status == TRM_OK || status == TRM_ERROR_TIMEOUT) {
        base_error_clear();
        status = base_fail_backend(gate->status);
    }
    core_stream_fail_after(stream, gate->value - 1, status);
    if (stream->ops->abandon == NULL)
        return false;
    stream->ops->abandon(stream->backend, status);
    return true;
}

static void gate_open(const struct core_gate *gate)
{
    const struct core_stream *stream = gate->stream;
    if (gate->callback != NULL)
        run_callback(gate);
    else if (gate->status != TRM_OK && !core_stream_has_succeeded(gate->other, gate->other_value) &&
             abandon_stream(gate))
        return;
    stream->ops->open_gates(stream->backend, gate->value);
}

/* Caches gates up to the limit and frees the rest. The stream is still pinned. */
static void free_gates(struct core_stream *stream, struct core_gate *list)
{
    struct core_gate *next;
    for (const struct core_gate *gate = list; gate != NULL; gate = gate->next)
        core_object_release(&gate->other->object);
    pthread_mutex_lock(&stream->device->lock);
    for (; list != NULL && stream->spare_gate_count < SPARE_GATES; list = next) {
        next                = list->next;
        list->next          = stream->spare_gates;
        stream->spare_gates = list;
        stream->spare_gate_count++;
    }
    pthread_mutex_unlock(&stream->device->lock);
    for (; list != NULL; list = next) {
        next = list->next;
        core_free(stream->object.context, list, sizeof(*list));
    }
}

void core_gates_free_spare(struct core_stream *stream)
{
    struct core_gate *next;
    for (struct core_gate *gate = stream->spare_gates; gate != NULL; gate = next) {
        next = gate->next;
        core_free(stream->object.context, gate, sizeof(*gate));
    }
    stream->spare_gates = NULL;
}

/* Opens gates from the oldest on, while they are ready; returns those. The caller holds the device's lock,
 * which is released around each. */
static struct core_gate *open_ready_locked(struct core_stream *stream, uint32_t *count)
{
    struct core_gate *opened = NULL, *gate;
    while ((gate = stream->gates) != NULL && gate->is_ready) {
        stream->gates = gate->next;
        if (stream->gates == NULL)
            stream->last_gate = NULL;
        pthread_mutex_unlock(&stream->device->lock);
        gate_open(gate);
        gate->next = opened;
        opened     = gate;
        ++*count;
        pthread_mutex_lock(&stream->device->lock);
    }
    return opened;
}

static void gate_run(struct core_job *job)
{
    struct core_gate *gate     = base_container_of(job, struct core_gate, job);
    struct core_stream *stream = gate->stream;
    pthread_mutex_t *lock      = &stream->device->lock;
    struct core_gate *opened   = NULL;
    uint32_t count             = 0;

    if (gate->is_unwatched)
        gate->status = core_stream_wait_value(gate->other, gate->other_value, TRM_FOREVER);
    pthread_mutex_lock(lock);
    gate->is_ready = true;
    /* Another thread is opening gates, perhaps in a callback: it will find this one ready too. */
    if (stream->is_opening_gates) {
        pthread_mutex_unlock(lock);
        return;
    }
    stream->is_opening_gates = true;
    opened                   = open_ready_locked(stream, &count);
    stream->is_opening_gates = false;
    pthread_mutex_unlock(lock);

    /* Nothing opened: the gate waits its turn, or another thread has opened and freed it. */
    if (opened == NULL)
        return;
    /* Unpins last, so that a thread that ends the stream finds none of its gates. */
    free_gates(stream, opened);
    core_stream_unpin(stream, count);
}

/* ---- enqueueing ------------------------------------------------------------------------------------ */

static struct core_gate *take_spare(struct core_stream *stream)
{
    pthread_mutex_lock(&stream->device->lock);
    struct core_gate *gate = stream->spare_gates;
    if (gate != NULL) {
        stream->spare_gates = gate->next;
        stream->spare_gate_count--;
    }
    pthread_mutex_unlock(&stream->device->lock);
    if (gate != NULL)
        memset(gate, 0, sizeof(*gate));
    return gate;
}

static int32_t gate_create(struct core_stream *stream, struct core_gate **out)
{
    struct core_service *service;
    int32_t status = core_service_get(stream->object.context, &service);
    if (status != TRM_OK)
        return status;
    struct core_gate *gate = take_spare(stream);
    if (gate == NULL)
        gate = core_allocate(stream->object.context, sizeof(*gate));
    if (gate == NULL)
        return base_fail_memory("creating a gate in a stream");
    gate->stream                = stream;
    gate->service               = service;
    gate->notification.notified = gate_notified;
    gate->job.run               = gate_run;
    *out                        = gate;
    return TRM_OK;
}

static void append(struct core_gate *gate)
{
    struct core_stream *stream = gate->stream;
    pthread_mutex_lock(&stream->device->lock);
    if (stream->last_gate != NULL)
        stream->last_gate->next = gate;
    else
        stream->gates = gate;
    stream->last_gate = gate;
    pthread_mutex_unlock(&stream->device->lock);
}

/* Enqueues the gate and arranges for it to open. Once it is enqueued nothing can fail. */
static int32_t gate_enqueue(struct core_gate *gate, struct core_wait wait)
{
    struct core_stream *stream = gate->stream;
    gate->value                = core_stream_next(stream);
    int32_t status             = core_stream_commit_wait(stream, gate->value, "stream.gate",
                                                         stream->ops->gate(stream->backend, gate->value), wait);
    if (status != TRM_OK) {
        core_free(stream->object.context, gate, sizeof(*gate));
        return status;
    }
    core_object_retain(&gate->other->object);
    core_stream_pin(stream);
    append(gate);
    if (gate->callback != NULL)
        core_stream_count(stream, &stream->stats->callbacks);
    /* From here on a callback may run, and enqueue on the stream. */
    if (core_notify(gate->other, gate->other_value, &gate->notification) != TRM_OK) {
        gate->is_unwatched = true;
        core_service_post(gate->service, &gate->job);
    }
    return TRM_OK;
}

int32_t core_gate_wait(struct core_stream *stream, struct core_stream *other, uint64_t value,
                       struct core_wait wait)
{
    struct core_gate *gate;
    int32_t status = gate_create(stream, &gate);
    if (status != TRM_OK)
        return status;
    gate->other       = other;
    gate->other_value = value;
    return gate_enqueue(gate, wait);
}

int32_t core_gate_callback(struct core_stream *stream, trm_callback_fn callback, void *user)
{
    struct core_gate *gate;
    uint64_t value;
    int32_t status = core_stream_mark(stream, &value);
    if (status != TRM_OK)
        return status;
    status = gate_create(stream, &gate);
    if (status != TRM_OK)
        return status;
    gate->other       = stream;
    gate->other_value = value;
    gate->callback    = callback;
    gate->user        = user;
    return gate_enqueue(gate, (struct core_wait){.kind = TRM_PROFILE_WAIT_CALLBACK});
}
