/* Being told when a stream gets somewhere.
 *
 * Where the backend has no notify(), threads sit in its wait() instead. They start when there is
 * something to wait for and end when there is nothing more; mostly one is enough, and a second one
 * comes only when somebody asks about an earlier place than the one that is waited for.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/notify.h"

#include "base/base.h"

/* The backend's wait() runs on it. */
#define STACK_BYTES (256u << 10)

/* A thread that sits in wait(); on its stack. */
struct sitter {
    struct sitter *next;
    uint64_t value;
};

struct core_watch {
    struct core_notification *first; /* by value; under device->lock */
    struct sitter *sitters;          /* under device->lock */
};

/* ---- the backend's own -------------------------------------------------------------------------- */

static void told_by_backend(void *user, int32_t status)
{
    struct core_notification *notification = user;
    struct core_stream *stream             = notification->stream;
    notification->notified(notification, status);
    core_stream_unpin(stream, 1);
}

static int32_t ask_backend(struct core_stream *stream, uint64_t value, struct core_notification *notification)
{
    base_error_clear();
    int32_t status = stream->ops->notify(stream->backend, value, told_by_backend, notification);
    if (status == TRM_OK)
        return TRM_OK;
    core_stream_unpin(stream, 1);
    return base_fail_backend(status);
}

/* ---- by threads that wait --------------------------------------------------------------------------- */

static int is_sat_for_locked(const struct core_watch *watch, uint64_t value)
{
    const struct sitter *sitter = watch->sitters;
    while (sitter != NULL && sitter->value > value)
        sitter = sitter->next;
    return sitter != NULL;
}

static void sit_down_locked(struct core_watch *watch, struct sitter *sitter)
{
    sitter->value  = watch->first->value;
    sitter->next   = watch->sitters;
    watch->sitters = sitter;
}

static void stand_up_locked(struct core_watch *watch, struct sitter *sitter)
{
    struct sitter **place = &watch->sitters;
    while (*place != sitter)
        place = &(*place)->next;
    *place = sitter->next;
}

static void insert_locked(struct core_watch *watch, struct core_notification *notification)
{
    struct core_notification **place = &watch->first;
    while (*place != NULL && (*place)->value <= notification->value)
        place = &(*place)->next;
    notification->next = *place;
    *place             = notification;
}

/* Takes a notification out again. 0: it is not there any more. */
static int remove_locked(struct core_watch *watch, struct core_notification *notification)
{
    struct core_notification **place = &watch->first;
    while (*place != NULL && *place != notification)
        place = &(*place)->next;
    if (*place == NULL)
        return 0;
    *place = notification->next;
    return 1;
}

/* Those up to a value, off the list. */
static struct core_notification *take_locked(struct core_watch *watch, uint64_t value)
{
    struct core_notification *taken = watch->first, **end = &taken;
    while (*end != NULL && (*end)->value <= value)
        end = &(*end)->next;
    watch->first = *end;
    *end         = NULL;
    return taken;
}

static void tell(struct core_stream *stream, struct core_notification *list)
{
    int32_t status = core_stream_failure_status(stream);
    while (list != NULL) {
        struct core_notification *next = list->next;
        list->notified(list, status);
        core_stream_unpin(stream, 1);
        list = next;
    }
}

/* The thread has a pin of its own. */
static void *watch_main(void *argument)
{
    struct core_stream *stream = argument;
    struct core_watch *watch   = stream->watch;
    pthread_mutex_t *lock      = &stream->device->lock;
    struct sitter sitter;

    pthread_mutex_lock(lock);
    while (watch->first != NULL && !is_sat_for_locked(watch, watch->first->value)) {
        sit_down_locked(watch, &sitter);
        pthread_mutex_unlock(lock);
        core_stream_wait_finished(stream, sitter.value, TRM_FOREVER);
        pthread_mutex_lock(lock);
        stand_up_locked(watch, &sitter);
        /* After a failure `completed` is at the end, and so all are told. */
        uint64_t reached               = atomic_load_explicit(&stream->completed, memory_order_acquire);
        struct core_notification *list = take_locked(watch, reached > sitter.value ? reached : sitter.value);
        pthread_mutex_unlock(lock);
        tell(stream, list);
        pthread_mutex_lock(lock);
    }
    pthread_mutex_unlock(lock);
    core_stream_unpin(stream, 1);
    return NULL;
}

static int32_t ensure_watch(struct core_stream *stream)
{
    struct core_context *context = stream->object.context;
    struct core_watch *made      = NULL;
    pthread_mutex_t *lock        = &stream->device->lock;

    pthread_mutex_lock(lock);
    int missing = stream->watch == NULL;
    pthread_mutex_unlock(lock);
    if (!missing)
        return TRM_OK;
    made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("watching a stream");
    pthread_mutex_lock(lock);
    if (stream->watch == NULL) {
        stream->watch = made;
        made          = NULL;
    }
    pthread_mutex_unlock(lock);
    core_free(context, made, sizeof(*made));
    return TRM_OK;
}

/* The notification is pinned, and the thread that may be needed is so from here on: as soon as the
 * notification is in the list it may be told, and its pin gone. */
static int32_t ask_thread(struct core_stream *stream, struct core_notification *notification)
{
    pthread_mutex_t *lock = &stream->device->lock;
    int32_t status        = ensure_watch(stream);
    if (status != TRM_OK) {
        core_stream_unpin(stream, 1);
        return status;
    }
    core_stream_pin(stream);
    pthread_mutex_lock(lock);
    struct core_watch *watch = stream->watch;
    int sat_for              = is_sat_for_locked(watch, notification->value);
    insert_locked(watch, notification);
    pthread_mutex_unlock(lock);
    if (!sat_for) {
        status = base_thread_start(watch_main, stream, STACK_BYTES, "watching a stream", NULL);
        if (status == TRM_OK)
            return TRM_OK;
        pthread_mutex_lock(lock);
        sat_for = !remove_locked(watch, notification);
        pthread_mutex_unlock(lock);
    }
    /* Without a thread of its own: another one tells it, or has done so, or nobody will. */
    core_stream_unpin(stream, sat_for ? 1 : 2);
    return sat_for ? TRM_OK : status;
}

/* ------------------------------------------------------------------------------------------------------ */

int32_t core_notify(struct core_stream *stream, uint64_t value, struct core_notification *notification)
{
    notification->stream = stream;
    notification->value  = value;
    if (!core_stream_try_pin(stream)) {
        notification->notified(notification, core_stream_failure_status(stream));
        return TRM_OK;
    }
    if (atomic_load_explicit(&stream->completed, memory_order_acquire) >= value) {
        notification->notified(notification, core_stream_failure_status(stream));
        core_stream_unpin(stream, 1);
        return TRM_OK;
    }
    if (stream->ops->notify != NULL)
        return ask_backend(stream, value, notification);
    core_stream_submit(stream, value);
    if (core_stream_has_finished(stream, value)) {
        notification->notified(notification, core_stream_failure_status(stream));
        core_stream_unpin(stream, 1);
        return TRM_OK;
    }
    return ask_thread(stream, notification);
}

void core_watch_destroy(struct core_context *context, struct core_watch *watch)
{
    core_free(context, watch, sizeof(*watch));
}
