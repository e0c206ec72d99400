/* cuda backend: notifications, and waits with a time-out.
 *
 * A stream lists its notifications by value. A watcher thread (watcher.c) waits for the first of them
 * whose operation has been submitted. Any thread that finds notifications due delivers them, one thread at
 * a time, so they arrive in their order.
 * SPDX-License-Identifier: MIT
 */
#include "notify.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "deferred_submit.h"
#include "stream_failure.h"
#include "wait.h"
#include "watcher.h"

/* ---- the list; with the stream's lock -------------------------------------------------------- */

static void insert_notification(struct trm_backend_stream *stream, struct cuda_notification *notification)
{
    struct cuda_notification **place = &stream->notifications;
    while (*place != NULL && (*place)->value <= notification->value)
        place = &(*place)->next;
    notification->next      = *place;
    notification->is_listed = true;
    *place                  = notification;
}

/* False: it is not in the list any more. */
static bool remove_notification(struct trm_backend_stream *stream, struct cuda_notification *notification)
{
    struct cuda_notification **place = &stream->notifications;
    if (!notification->is_listed)
        return false;
    while (*place != notification)
        place = &(*place)->next;
    *place                  = notification->next;
    notification->is_listed = false;
    return true;
}

/* A number that is complete is reported as complete, even if the stream has failed since; not when a kernel
 * reached outside of a variable, which may have been an operation up to this number. */
static int32_t state_of(const struct trm_backend_stream *stream, uint64_t value)
{
    return cuda_stream_completed(stream) >= value && !atomic_load(&stream->has_fault)
               ? TRM_OK
               : cuda_stream_state(stream, value);
}

static struct cuda_notification *take_due(struct trm_backend_stream *stream, int32_t *status)
{
    struct cuda_notification *first = stream->notifications;
    if (first == NULL)
        return NULL;
    *status = state_of(stream, first->value);
    if (*status == TRM_ERROR_TIMEOUT)
        return NULL;
    remove_notification(stream, first);
    return first;
}

/* Reads how far the stream is only once, because that changes meanwhile. A thread that delivers looks
 * again when it is done. */
enum cuda_notify_step cuda_notifications_next_locked(const struct trm_backend_stream *stream, uint64_t *value)
{
    const struct cuda_notification *first = stream->notifications;
    const struct cuda_watch *watch;
    if (first == NULL)
        return CUDA_NOTIFY_NOTHING;
    if (state_of(stream, first->value) != TRM_ERROR_TIMEOUT)
        return stream->notifying ? CUDA_NOTIFY_NOTHING : CUDA_NOTIFY_DELIVER;
    /* The thread that flushes a failing stream calls cuda_stream_wake() when it is done. */
    if (atomic_load(&stream->failure) != TRM_OK && atomic_load(&stream->flushing))
        return CUDA_NOTIFY_NOTHING;
    *value = cuda_stream_target(stream, first->value);
    if (*value > cuda_stream_submitted(stream))
        return CUDA_NOTIFY_NOTHING;
    for (watch = stream->watches; watch != NULL; watch = watch->next) {
        if (watch->value <= *value)
            return CUDA_NOTIFY_NOTHING;
    }
    return CUDA_NOTIFY_WAIT;
}

/* ---- delivering ------------------------------------------------------------------------------ */

void cuda_notifications_deliver(struct trm_backend_stream *stream)
{
    struct cuda_notification *notification;
    int32_t status;
    pthread_mutex_lock(&stream->lock);
    if (stream->notifying) {
        pthread_mutex_unlock(&stream->lock);
        return;
    }
    stream->notifying = true;
    while ((notification = take_due(stream, &status)) != NULL) {
        trm_notify_fn notify = notification->notify;
        void *user           = notification->user;
        if (!notification->is_on_stack) {
            notification->next          = stream->spare_notifications;
            stream->spare_notifications = notification;
        }
        pthread_mutex_unlock(&stream->lock);
        notify(user, status);
        pthread_mutex_lock(&stream->lock);
    }
    stream->notifying = false;
    pthread_mutex_unlock(&stream->lock);
}

void cuda_notifications_watch(struct trm_backend_stream *stream)
{
    uint64_t value;
    pthread_mutex_lock(&stream->lock);
    enum cuda_notify_step step = cuda_notifications_next_locked(stream, &value);
    pthread_mutex_unlock(&stream->lock);
    if (step != CUDA_NOTIFY_NOTHING)
        cuda_watchers_queue(stream, false);
}

/* ---- notifications --------------------------------------------------------------------------- */

static struct cuda_notification *allocate_notification(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    struct cuda_notification *notification = stream->spare_notifications;
    if (notification != NULL)
        stream->spare_notifications = notification->next;
    pthread_mutex_unlock(&stream->lock);
    return notification != NULL ? notification
                                : trm_util_allocate(stream->device->instance->host, sizeof(*notification));
}

/* Add a notification, and have a thread deliver it. Deferred operations are flushed, by another thread
 * where they block. */
static void add_notification(struct trm_backend_stream *stream, struct cuda_notification *notification)
{
    uint64_t value = notification->value;
    cuda_deferred_flush(stream, CUDA_FLUSH_SOON);
    pthread_mutex_lock(&stream->lock);
    insert_notification(stream, notification);
    bool is_first = stream->notifications == notification;
    pthread_mutex_unlock(&stream->lock);
    /* If it is due already, no thread need be woken. */
    if (is_first && cuda_stream_submitted(stream) >= value && cuda_stream_completed(stream) < value)
        cuda_stream_poll(stream);
    cuda_notifications_deliver(stream);
    cuda_notifications_watch(stream);
}

int32_t cuda_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                           void *user)
{
    int32_t status = cuda_watchers_start(stream->device);
    if (status != TRM_OK)
        return status;
    struct cuda_notification *notification = allocate_notification(stream);
    if (notification == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a notification");
    *notification = (struct cuda_notification){.value = value, .notify = notify, .user = user};
    /* the program may destroy the stream as soon as it is notified */
    cuda_stream_pin(stream);
    add_notification(stream, notification);
    cuda_stream_unpin(stream);
    return TRM_OK;
}

/* ---- waits with a time-out ------------------------------------------------------------------- */

/* A thread that waits; on its stack. */
struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_woken;
};

static void wake(void *user, int32_t status)
{
    struct waiter *waiter = user;
    (void)status;
    pthread_mutex_lock(&waiter->lock);
    waiter->is_woken = true;
    pthread_cond_signal(&waiter->wake);
    pthread_mutex_unlock(&waiter->lock);
}

static bool waiter_init(struct waiter *waiter)
{
    waiter->is_woken = false;
    return pthread_mutex_init(&waiter->lock, NULL) == 0 && cuda_condition_init(&waiter->wake);
}

/* Sleep until woken or, unless `deadline` is TRM_UTIL_NEVER, until the time is over. */
static void waiter_sleep(struct waiter *waiter, uint64_t deadline)
{
    struct timespec end = {
        .tv_sec  = (time_t)(deadline / UINT64_C(1000000000)),
        .tv_nsec = (long)(deadline % UINT64_C(1000000000)),
    };
    int result = 0;
    pthread_mutex_lock(&waiter->lock);
    while (!waiter->is_woken && result != ETIMEDOUT) {
        if (deadline == UINT64_MAX)
            pthread_cond_wait(&waiter->wake, &waiter->lock);
        else
            result = pthread_cond_timedwait(&waiter->wake, &waiter->lock, &end);
    }
    pthread_mutex_unlock(&waiter->lock);
}

/* For when there can be no watcher thread. */
static int32_t poll_until(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    int32_t status = cuda_stream_state(stream, value);
    while (status == TRM_ERROR_TIMEOUT && trm_util_now() < deadline) {
        cuda_deferred_flush(stream, CUDA_FLUSH_BLOCKING);
        if (cuda_stream_completed(stream) < cuda_stream_submitted(stream))
            cuda_stream_poll(stream);
        sched_yield();
        status = cuda_stream_state(stream, value);
    }
    return status;
}

int32_t cuda_stream_wait_until(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    struct waiter waiter;
    if (cuda_watchers_start(stream->device) != TRM_OK || !waiter_init(&waiter))
        return poll_until(stream, value, deadline);
    struct cuda_notification notification = {
        .value = value, .notify = wake, .user = &waiter, .is_on_stack = true};
    cuda_stream_pin(stream);
    add_notification(stream, &notification);
    waiter_sleep(&waiter, deadline);
    pthread_mutex_lock(&stream->lock);
    bool was_listed = remove_notification(stream, &notification);
    pthread_mutex_unlock(&stream->lock);
    if (!was_listed)
        waiter_sleep(&waiter, UINT64_MAX);
    cuda_stream_unpin(stream);
    pthread_cond_destroy(&waiter.wake);
    pthread_mutex_destroy(&waiter.lock);
    return cuda_stream_state(stream, value);
}
