/* Notifications that a stream has reached an operation.
 *
 * Where the backend has no notify(), watcher threads block in its wait() instead. They start when there is a
 * notification to wait for and end when there is none. Mostly one is enough; another one starts only for an
 * earlier operation than those that are waited for.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/notify.h"

#include "base/base.h"

/* The backend's wait() runs on it. */
#define STACK_BYTES (256u << 10)

/* A thread that blocks in wait(); on its stack. */
struct watcher {
    struct watcher *next;
    uint64_t value;
};

struct core_watch {
    struct core_notification *first; /* by value; under device->lock */
    struct watcher *watchers;        /* under device->lock */
};

/* ---- the backend's own -------------------------------------------------------------------------- */

/* An unknown status does not tell how the stream ended. The stream counts as failed, although its operations
 * may still run. */
static COLD int32_t refuse_notification(struct core_stream *stream, int32_t status)
{
    status = core_answer(stream->device->backend, "the notification of stream.notify", status);
    core_stream_fail_after(stream, atomic_load_explicit(&stream->enqueued, memory_order_acquire), status);
    return status;
}

static void backend_notified(void *user, int32_t status)
{
    struct core_notification *notification = user;
    struct core_stream *stream             = notification->stream;
    if (UNLIKELY(!base_status_is_known(status)))
        status = refuse_notification(stream, status);
    notification->notified(notification, status);
    core_stream_unpin(stream, 1);
}

static int32_t notify_by_backend(struct core_stream *stream, uint64_t value,
                                 struct core_notification *notification)
{
    base_error_clear();
    int32_t status = core_answer(stream->device->backend, "stream.notify",
                                 stream->ops->notify(stream->backend, value, backend_notified, notification));
    if (status == TRM_OK)
        return TRM_OK;
    core_stream_unpin(stream, 1);
    return base_fail_backend(status);
}

/* ---- by watcher threads --------------------------------------------------------------------------- */

static bool is_watched_locked(const struct core_watch *watch, uint64_t value)
{
    const struct watcher *watcher = watch->watchers;
    while (watcher != NULL && watcher->value > value)
        watcher = watcher->next;
    return watcher != NULL;
}

static void add_watcher_locked(struct core_watch *watch, struct watcher *watcher)
{
    watcher->value  = watch->first->value;
    watcher->next   = watch->watchers;
    watch->watchers = watcher;
}

static void remove_watcher_locked(struct core_watch *watch, struct watcher *watcher)
{
    struct watcher **place = &watch->watchers;
    while (*place != watcher)
        place = &(*place)->next;
    *place = watcher->next;
}

static void insert_locked(struct core_watch *watch, struct core_notification *notification)
{
    struct core_notification **place = &watch->first;
    while (*place != NULL && (*place)->value <= notification->value)
        place = &(*place)->next;
    notification->next = *place;
    *place             = notification;
}

/* Removes a notification; false if it is not in the list any more. */
static bool remove_locked(struct core_watch *watch, struct core_notification *notification)
{
    struct core_notification **place = &watch->first;
    while (*place != NULL && *place != notification)
        place = &(*place)->next;
    if (*place == NULL)
        return false;
    *place = notification->next;
    return true;
}

/* Removes the notifications up to a value from the list, and returns them. */
static struct core_notification *take_locked(struct core_watch *watch, uint64_t value)
{
    struct core_notification *taken = watch->first, **end = &taken;
    while (*end != NULL && (*end)->value <= value)
        end = &(*end)->next;
    watch->first = *end;
    *end         = NULL;
    return taken;
}

static void notify_list(struct core_stream *stream, struct core_notification *list)
{
    int32_t status = core_stream_failure_status(stream);
    while (list != NULL) {
        struct core_notification *next = list->next;
        list->notified(list, status);
        core_stream_unpin(stream, 1);
        list = next;
    }
}

/* The thread has its own pin of the stream. */
static void *watch_main(void *argument)
{
    struct core_stream *stream = argument;
    struct core_watch *watch   = stream->watch;
    pthread_mutex_t *lock      = &stream->device->lock;
    struct watcher watcher;

    pthread_mutex_lock(lock);
    while (watch->first != NULL && !is_watched_locked(watch, watch->first->value)) {
        add_watcher_locked(watch, &watcher);
        pthread_mutex_unlock(lock);
        core_stream_wait_finished(stream, watcher.value, TRM_FOREVER);
        pthread_mutex_lock(lock);
        remove_watcher_locked(watch, &watcher);
        /* After a failure `completed` is UINT64_MAX, so all are notified. */
        uint64_t reached = atomic_load_explicit(&stream->completed, memory_order_acquire);
        struct core_notification *list =
            take_locked(watch, reached > watcher.value ? reached : watcher.value);
        pthread_mutex_unlock(lock);
        notify_list(stream, list);
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
    bool is_missing = stream->watch == NULL;
    pthread_mutex_unlock(lock);
    if (!is_missing)
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

/* The notification has a pin. The thread that may be needed gets one before the notification is in the list,
 * since from then on another thread may notify and unpin. */
static int32_t notify_by_thread(struct core_stream *stream, struct core_notification *notification)
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
    bool is_watched          = is_watched_locked(watch, notification->value);
    insert_locked(watch, notification);
    pthread_mutex_unlock(lock);
    if (!is_watched) {
        status = base_thread_start(watch_main, stream, STACK_BYTES, "watching a stream", NULL);
        if (status == TRM_OK)
            return TRM_OK;
        pthread_mutex_lock(lock);
        is_watched = !remove_locked(watch, notification);
        pthread_mutex_unlock(lock);
    }
    /* A notification without a thread of its own: another thread notifies, or has notified; after an error
     * none does. */
    core_stream_unpin(stream, is_watched ? 1 : 2);
    return is_watched ? TRM_OK : status;
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
        return notify_by_backend(stream, value, notification);
    core_stream_submit(stream, value);
    if (core_stream_has_finished(stream, value)) {
        notification->notified(notification, core_stream_failure_status(stream));
        core_stream_unpin(stream, 1);
        return TRM_OK;
    }
    return notify_by_thread(stream, notification);
}

void core_watch_destroy(struct core_context *context, struct core_watch *watch)
{
    core_free(context, watch, sizeof(*watch));
}
