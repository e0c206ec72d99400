/* The timed backend: how streams get on. Whatever takes no time (stamps, waits and gates that are open) is
 * done here; what does is offered to an engine.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

/* ---- notifications ------------------------------------------------------------------------------------ */

void timed_notice_due(struct trm_backend_instance *instance, struct timed_notice *notice, int32_t status)
{
    notice->status      = status;
    notice->next        = NULL;
    *instance->last_due = notice;
    instance->last_due  = &notice->next;
    pthread_cond_signal(&instance->news);
}

void timed_tell(struct trm_backend_instance *instance)
{
    while (instance->due != NULL) {
        struct timed_notice *notice = instance->due, told = *notice;

        instance->due = notice->next;
        if (instance->due == NULL)
            instance->last_due = &instance->due;
        notice->next    = instance->spare;
        instance->spare = notice;
        pthread_mutex_unlock(&instance->lock);
        told.notify(told.user, told.status);
        pthread_mutex_lock(&instance->lock);
    }
}

/* Notices up to `value`; UINT64_MAX: all. */
static void timed_stream_notices(struct trm_backend_stream *stream, uint64_t value, int32_t status)
{
    struct timed_notice **link = &stream->notices;

    while (*link != NULL) {
        struct timed_notice *notice = *link;

        if (notice->value <= value) {
            *link = notice->next;
            timed_notice_due(stream->device->instance, notice, status);
        } else {
            link = &notice->next;
        }
    }
}

/* ---- waits -------------------------------------------------------------------------------------------- */

void timed_stream_touch(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;

    if (stream->in_todo)
        return;
    stream->in_todo   = 1;
    stream->next_todo = instance->todo;
    instance->todo    = stream;
}

/* Open the waits of others that are for `value` or less; UINT64_MAX: all. */
static void timed_stream_release(struct trm_backend_stream *stream, uint64_t value)
{
    struct timed_operation **link = &stream->waiters;

    while (*link != NULL) {
        struct timed_operation *wait = *link;

        if (wait->other_value > value) {
            link = &wait->next_waiter;
            continue;
        }
        *link         = wait->next_waiter;
        wait->open    = 1;
        wait->failure = stream->failure;
        if (wait->ready < stream->time)
            wait->ready = stream->time;
        timed_stream_touch(wait->stream);
    }
}

static void timed_stream_forget_wait(struct timed_operation *wait)
{
    struct timed_operation **link = &wait->other->waiters;

    while (*link != wait)
        link = &(*link)->next_waiter;
    *link = wait->next_waiter;
}

/* ---- ends ------------------------------------------------------------------------------------------- */

static void timed_stream_drop_first(struct trm_backend_stream *stream)
{
    struct timed_operation *operation = stream->first;

    stream->first = operation->next;
    if (stream->first == NULL)
        stream->last = NULL;
    operation->next = stream->spare;
    stream->spare   = operation;
}

void timed_stream_finish(struct trm_backend_stream *stream, uint64_t at)
{
    stream->completed = stream->first->value;
    stream->time      = at;
    timed_stream_drop_first(stream);
    timed_stream_release(stream, stream->completed);
    timed_stream_notices(stream, stream->completed, TRM_OK);
    timed_stream_touch(stream);
    pthread_cond_broadcast(&stream->device->instance->progress);
}

/* For ever: all that was enqueued is thrown away. None of it is with an engine. */
void timed_stream_fail(struct trm_backend_stream *stream, const struct timed_failure *failure)
{
    stream->failure = *failure;
    while (stream->first != NULL) {
        struct timed_operation *operation = stream->first;

        if (operation->kind == TIMED_WAIT && !operation->open)
            timed_stream_forget_wait(operation);
        timed_stream_drop_first(stream);
    }
    timed_stream_release(stream, UINT64_MAX);
    timed_stream_notices(stream, UINT64_MAX, failure->status);
    pthread_cond_broadcast(&stream->device->instance->progress);
}

/* ---- getting on ------------------------------------------------------------------------------------- */

static void timed_stream_get_on(struct trm_backend_stream *stream)
{
    while (!stream->offered && stream->first != NULL) {
        struct timed_operation *operation = stream->first;
        struct timed_failure failure      = operation->failure;

        if (operation->kind == TIMED_COPY || operation->kind == TIMED_LAUNCH) {
            timed_engine_offer(stream);
            return;
        }
        if (operation->kind != TIMED_STAMP && !operation->open)
            return;
        if (operation->kind == TIMED_WAIT && failure.status != TRM_OK) {
            timed_stream_fail(stream, &failure);
            return;
        }
        if (operation->ready < stream->time)
            operation->ready = stream->time;
        if (operation->kind == TIMED_STAMP)
            operation->stamp->time = operation->ready;
        timed_stream_finish(stream, operation->ready);
    }
}

void timed_settle(struct trm_backend_instance *instance)
{
    while (instance->todo != NULL) {
        struct trm_backend_stream *stream = instance->todo;

        instance->todo  = stream->next_todo;
        stream->in_todo = 0;
        timed_stream_get_on(stream);
    }
}
