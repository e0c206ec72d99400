/* Send and receive. What is sent is copied on the device that sends it, where it waits for the receiver: so
 * the sender's stream never waits for one.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/collective/collective.h"

void pipeline_message_destroy(struct pipeline_collective *collective, struct pipeline_message *message)
{
    trm_buffer_destroy(message->buffer);
    trm_event_destroy(message->sent);
    core_free(collective->object.context, message, sizeof(*message));
}

/* Destroys a message, and keeps the last error. */
static void drop(struct pipeline_collective *collective, struct pipeline_message *message)
{
    struct base_saved_error saved;

    base_error_save(&saved);
    pipeline_message_destroy(collective, message);
    base_error_restore(&saved);
}

static int32_t check_devices(const struct pipeline_collective *collective, uint32_t source, uint32_t target)
{
    if (source >= collective->devices)
        return pipeline_group_fail_index(collective->group, source);
    return target >= collective->devices ? pipeline_group_fail_index(collective->group, target) : TRM_OK;
}

/* ---- send ----------------------------------------------------------------------------------- */

/* Copies the span and records when that is done. */
static int32_t fill(struct pipeline_collective *collective, struct pipeline_message *message,
                    struct trm_stream *stream, struct trm_span span)
{
    struct trm_device *device = collective->group->held[message->source];

    int32_t status = trm_event_create(device, 0, &message->sent);
    if (status == TRM_OK && span.length != 0)
        status = trm_stream_alloc(stream, span.length, &message->buffer);
    if (status == TRM_OK && span.length != 0)
        status = trm_copy(stream, trm_span_of(message->buffer, 0, span.length), span);
    return status == TRM_OK ? trm_event_record(message->sent, stream) : status;
}

static void post(struct pipeline_collective *collective, struct pipeline_message *message)
{
    base_lock_acquire(&collective->lock);
    *collective->last_message = message;
    collective->last_message  = &message->next;
    atomic_fetch_add(&collective->sent, 1);
    base_lock_release(&collective->lock);
    base_futex_wake(&collective->sent, UINT32_MAX);
}

static int32_t send(struct pipeline_collective *collective, uint32_t source, uint32_t target,
                    struct trm_stream *stream, struct trm_span given)
{
    struct trm_span span;

    int32_t status = check_devices(collective, source, target);
    if (status == TRM_OK)
        status = pipeline_collective_check_stream(collective, "trm_send", stream, source);
    if (status == TRM_OK)
        status = pipeline_collective_check_span(collective, "span", 0, source, given, &span);
    if (status != TRM_OK)
        return status;
    struct pipeline_message *message = core_allocate(collective->object.context, sizeof(*message));
    if (message == NULL)
        return base_fail_memory("sending");
    message->source = source;
    message->target = target;
    message->bytes  = span.length;
    status          = fill(collective, message, stream, span);
    if (status != TRM_OK) {
        drop(collective, message);
        return status;
    }
    post(collective, message);
    return TRM_OK;
}

int32_t trm_send(struct trm_collective *handle, uint32_t source, uint32_t target, struct trm_stream *stream,
                 struct trm_span span)
{
    struct pipeline_collective *collective = core_object_enter(handle, CORE_COLLECTIVE);
    if (collective == NULL)
        return base_last_status();
    int32_t status = send(collective, source, target, stream, span);
    core_object_leave(&collective->object);
    return status;
}

/* ---- receive -------------------------------------------------------------------------------- */

/* The link to the first message from one device to another; what it points to is NULL where there is none. */
static struct pipeline_message **find(struct pipeline_collective *collective, uint32_t source,
                                      uint32_t target)
{
    struct pipeline_message **link = &collective->messages;

    while (*link != NULL && ((*link)->source != source || (*link)->target != target))
        link = &(*link)->next;
    return link;
}

/* Takes the message, if it has come and fits. TIMEOUT, unexplained: it has not come. */
static int32_t take(struct pipeline_collective *collective, uint32_t source, uint32_t target, uint64_t bytes,
                    struct pipeline_message **message)
{
    int32_t status = TRM_OK;

    base_lock_acquire(&collective->lock);
    struct pipeline_message **link = find(collective, source, target), *found = *link;
    if (found == NULL) {
        status = TRM_ERROR_TIMEOUT;
    } else if (found->bytes != bytes) {
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT,
                           "trm_recv: the span has %" PRIu64 " bytes, but %" PRIu64 " were sent", bytes,
                           found->bytes);
    } else {
        *link = found->next;
        if (found->next == NULL)
            collective->last_message = link;
    }
    base_lock_release(&collective->lock);
    *message = found;
    return status;
}

static int32_t await(struct pipeline_collective *collective, uint32_t source, uint32_t target, uint64_t bytes,
                     uint64_t timeout_ns, struct pipeline_message **message)
{
    uint64_t deadline = base_deadline(timeout_ns);

    for (;;) {
        uint32_t seen  = atomic_load(&collective->sent);
        int32_t status = take(collective, source, target, bytes, message);
        if (status != TRM_ERROR_TIMEOUT)
            return status;
        if (timeout_ns == 0 || !base_futex_wait(&collective->sent, seen, deadline))
            return base_fail(TRM_ERROR_TIMEOUT,
                             "trm_recv: nothing was sent from device %" PRIu32 " to device %" PRIu32, source,
                             target);
    }
}

static int32_t receive(struct pipeline_collective *collective, uint32_t source, uint32_t target,
                       struct trm_stream *stream, struct trm_span given, uint64_t timeout_ns)
{
    struct pipeline_message *message = NULL;
    struct trm_span span;

    int32_t status = check_devices(collective, source, target);
    if (status == TRM_OK)
        status = pipeline_collective_check_stream(collective, "trm_recv", stream, target);
    if (status == TRM_OK)
        status = pipeline_collective_check_span(collective, "span", 0, target, given, &span);
    if (status == TRM_OK)
        status = await(collective, source, target, span.length, timeout_ns, &message);
    if (status != TRM_OK)
        return status;
    status = trm_stream_wait_event(stream, message->sent);
    if (status == TRM_OK && span.length != 0)
        status = trm_copy(stream, span, trm_span_of(message->buffer, 0, span.length));
    drop(collective, message);
    return status;
}

int32_t trm_recv(struct trm_collective *handle, uint32_t source, uint32_t target, struct trm_stream *stream,
                 struct trm_span span, uint64_t timeout_ns)
{
    struct pipeline_collective *collective = core_object_enter(handle, CORE_COLLECTIVE);
    if (collective == NULL)
        return base_last_status();
    int32_t status = receive(collective, source, target, stream, span, timeout_ns);
    core_object_leave(&collective->object);
    return status;
}
