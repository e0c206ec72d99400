/* cuda backend: threads of a device that wait for notifications and submit deferred operations.
 * SPDX-License-Identifier: MIT
 */
#include "watcher.h"

#include "deferred_submit.h"
#include "notify.h"
#include "wait.h"

#define MAX_THREADS 32u

/* Nanoseconds, of which waking a thread takes a good part. If streams have been queued faster than this,
 * one thread polls for the next one this long before it sleeps; else it sleeps at once. */
#define POLL_NS 30000u

struct cuda_watchers {
    struct trm_backend_device *device;
    pthread_mutex_t lock; /* all below, and the queue's fields of streams; taken under any other lock */
    pthread_cond_t wake;
    struct trm_backend_stream *first, *last; /* the queue; each is pinned */
    uint32_t queued, idle, count;
    pthread_t threads[MAX_THREADS];
    bool ending;
    bool polling;             /* a thread polls for the next stream; never more than one */
    bool may_poll;            /* streams have been queued soon after each other */
    _Atomic uint32_t waiting; /* equals `queued`, for the thread that polls */
};

/* ---- serving a stream ------------------------------------------------------------------------ */

static void add_watch(struct trm_backend_stream *stream, struct cuda_watch *watch, uint64_t value)
{
    watch->value    = value;
    watch->next     = stream->watches;
    stream->watches = watch;
}

static void remove_watch(struct trm_backend_stream *stream, const struct cuda_watch *watch)
{
    struct cuda_watch **place = &stream->watches;
    while (*place != watch)
        place = &(*place)->next;
    *place = watch->next;
}

/* With the stream's lock, which is released meanwhile. */
static void wait_for_value(struct trm_backend_stream *stream, uint64_t value)
{
    struct cuda_watch watch;
    add_watch(stream, &watch, value);
    pthread_mutex_unlock(&stream->lock);
    cuda_stream_wait_completed(stream, value, false);
    pthread_mutex_lock(&stream->lock);
    remove_watch(stream, &watch);
}

static void serve(struct trm_backend_stream *stream, bool flush)
{
    enum cuda_notify_step step;
    uint64_t value;
    if (flush)
        cuda_deferred_flush(stream, CUDA_FLUSH_BLOCKING);
    pthread_mutex_lock(&stream->lock);
    while ((step = cuda_notifications_next_locked(stream, &value)) != CUDA_NOTIFY_NOTHING) {
        if (step == CUDA_NOTIFY_WAIT) {
            wait_for_value(stream, value);
            continue;
        }
        pthread_mutex_unlock(&stream->lock);
        cuda_notifications_deliver(stream);
        pthread_mutex_lock(&stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* With the lock. */
static struct trm_backend_stream *take_first(struct cuda_watchers *watchers, bool *flush)
{
    struct trm_backend_stream *stream = watchers->first;
    watchers->first                   = stream->next_queued;
    if (watchers->first == NULL)
        watchers->last = NULL;
    atomic_store_explicit(&watchers->waiting, --watchers->queued, memory_order_relaxed);
    *flush              = stream->wants_flush;
    stream->queued      = false;
    stream->wants_flush = false;
    return stream;
}

/* With the lock, which is released meanwhile. */
static void poll_queue(struct cuda_watchers *watchers)
{
    uint64_t end      = trm_util_now() + POLL_NS;
    watchers->polling = true;
    pthread_mutex_unlock(&watchers->lock);
    do {
        for (int i = 0; i < 16; i++)
            trm_util_relax();
    } while (atomic_load_explicit(&watchers->waiting, memory_order_relaxed) == 0 && trm_util_now() < end);
    pthread_mutex_lock(&watchers->lock);
    watchers->polling = false;
}

/* With the lock. The next time a thread polls if polling would have caught this stream. */
static void wait_for_stream(struct cuda_watchers *watchers)
{
    uint64_t begin = trm_util_now();
    watchers->idle++;
    if (watchers->first == NULL && watchers->may_poll && !watchers->polling && !watchers->ending)
        poll_queue(watchers);
    while (watchers->first == NULL && !watchers->ending)
        pthread_cond_wait(&watchers->wake, &watchers->lock);
    watchers->idle--;
    watchers->may_poll = trm_util_now() < begin + 2 * POLL_NS;
}

static void *run_watcher(void *argument)
{
    struct cuda_watchers *watchers = argument;
    bool flush;
    pthread_mutex_lock(&watchers->lock);
    while (true) {
        wait_for_stream(watchers);
        if (watchers->first == NULL)
            break;
        struct trm_backend_stream *stream = take_first(watchers, &flush);
        pthread_mutex_unlock(&watchers->lock);
        serve(stream, flush);
        cuda_stream_unpin(stream);
        pthread_mutex_lock(&watchers->lock);
    }
    pthread_mutex_unlock(&watchers->lock);
    return NULL;
}

/* With the lock. */
static bool start_thread(struct cuda_watchers *watchers)
{
    sigset_t before;
    if (watchers->count == MAX_THREADS)
        return false;
    trm_util_signals_block(&before);
    int failed = pthread_create(&watchers->threads[watchers->count], NULL, run_watcher, watchers);
    trm_util_signals_restore(&before);
    if (failed != 0)
        return false;
    pthread_setname_np(watchers->threads[watchers->count], "trireme-cuda");
    watchers->count++;
    return true;
}

int32_t cuda_watchers_start(struct trm_backend_device *device)
{
    struct cuda_watchers *watchers = device->watchers;
    pthread_mutex_lock(&watchers->lock);
    bool has_thread = watchers->count != 0 || start_thread(watchers);
    pthread_mutex_unlock(&watchers->lock);
    return has_thread ? TRM_OK : trm_util_fail_host_memory(device->instance->host, "a watcher thread");
}

bool cuda_watchers_queue(struct trm_backend_stream *stream, bool flush)
{
    struct cuda_watchers *watchers = stream->device->watchers;
    cuda_stream_pin(stream);
    pthread_mutex_lock(&watchers->lock);
    bool has_thread     = watchers->count != 0 || start_thread(watchers);
    bool is_new         = has_thread && !stream->queued;
    stream->wants_flush = stream->wants_flush || (has_thread && flush);
    if (is_new) {
        stream->queued      = true;
        stream->next_queued = NULL;
        if (watchers->last != NULL)
            watchers->last->next_queued = stream;
        else
            watchers->first = stream;
        watchers->last = stream;
        /* A thread that was just started is not idle yet, but will take the first stream. */
        atomic_store_explicit(&watchers->waiting, ++watchers->queued, memory_order_relaxed);
        if (watchers->queued > watchers->idle)
            (void)start_thread(watchers);
        if (!watchers->polling || watchers->queued > 1)
            pthread_cond_signal(&watchers->wake);
    }
    pthread_mutex_unlock(&watchers->lock);
    if (!is_new)
        cuda_stream_unpin(stream);
    return has_thread;
}

void cuda_watchers_remove(struct trm_backend_stream *stream)
{
    struct cuda_watchers *watchers      = stream->device->watchers;
    struct trm_backend_stream *previous = NULL;
    pthread_mutex_lock(&watchers->lock);
    bool was_queued = stream->queued;
    for (struct trm_backend_stream *at = watchers->first; was_queued && at != stream; at = at->next_queued)
        previous = at;
    if (was_queued) {
        if (previous != NULL)
            previous->next_queued = stream->next_queued;
        else
            watchers->first = stream->next_queued;
        if (watchers->last == stream)
            watchers->last = previous;
        atomic_store_explicit(&watchers->waiting, --watchers->queued, memory_order_relaxed);
        stream->queued = false;
    }
    pthread_mutex_unlock(&watchers->lock);
    if (was_queued)
        cuda_stream_unpin(stream);
}

/* ---- opening and closing --------------------------------------------------------------------- */

int32_t cuda_watchers_open(struct trm_backend_device *device)
{
    int32_t status = cuda_blocking_waits_open(device);
    if (status != TRM_OK)
        return status;
    struct cuda_watchers *watchers = trm_util_allocate(device->instance->host, sizeof(*watchers));
    if (watchers == NULL)
        return trm_util_fail_host_memory(device->instance->host, "the watcher threads");
    watchers->device = device;
    pthread_mutex_init(&watchers->lock, NULL);
    pthread_cond_init(&watchers->wake, NULL);
    device->watchers = watchers;
    return TRM_OK;
}

static void end_threads(struct cuda_watchers *watchers)
{
    pthread_mutex_lock(&watchers->lock);
    watchers->ending = true;
    pthread_cond_broadcast(&watchers->wake);
    uint32_t count = watchers->count;
    pthread_mutex_unlock(&watchers->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(watchers->threads[i], NULL);
}

void cuda_watchers_close(struct trm_backend_device *device)
{
    struct cuda_watchers *watchers = device->watchers;
    if (watchers != NULL) {
        end_threads(watchers);
        pthread_cond_destroy(&watchers->wake);
        pthread_mutex_destroy(&watchers->lock);
        trm_util_release(device->instance->host, watchers, sizeof(*watchers));
        device->watchers = NULL;
    }
    cuda_blocking_waits_close(device);
}
