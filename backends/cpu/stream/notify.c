/* cpu backend: telling those who watch a stream.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/notify.h"

#include "backends/cpu/stream/session.h"

#define SPARE_WATCHES 64u /* as many are kept for further notifications */

static void update_watched(struct trm_backend_stream *stream)
{
    atomic_store(&stream->watched, stream->watch_first ? stream->watch_first->value : UINT64_MAX);
}

/* After the last one that is not higher: most come in order, so the search begins at the end. */
static void insert(struct trm_backend_stream *stream, struct cpu_watch *watch)
{
    struct cpu_watch *before = stream->watch_last;
    while (before != NULL && before->value > watch->value)
        before = before->previous;
    watch->previous = before;
    watch->next     = before ? before->next : stream->watch_first;
    *(watch->next ? &watch->next->previous : &stream->watch_last) = watch;
    *(before ? &before->next : &stream->watch_first)              = watch;
    watch->linked                                                 = true;
}

static void unlink_watch(struct trm_backend_stream *stream, struct cpu_watch *watch)
{
    *(watch->next ? &watch->next->previous : &stream->watch_last)      = watch->previous;
    *(watch->previous ? &watch->previous->next : &stream->watch_first) = watch->next;
    watch->linked                                                      = false;
}

bool cpu_watch_add_locked(struct trm_backend_stream *stream, struct cpu_watch *watch)
{
    if (cpu_stream_reached(stream, watch->value) || cpu_stream_failure(stream) != NULL)
        return false;
    insert(stream, watch);
    update_watched(stream);
    /* The owner stores `completed` or `failure`, then reads `watched`; here it is the other way round,
     * so one sees the other. */
    if (!cpu_stream_reached(stream, watch->value) && cpu_stream_failure(stream) == NULL)
        return true;
    cpu_watch_remove_locked(stream, watch);
    return false;
}

bool cpu_watch_remove_locked(struct trm_backend_stream *stream, struct cpu_watch *watch)
{
    if (!watch->linked)
        return false;
    unlink_watch(stream, watch);
    update_watched(stream);
    return true;
}

bool cpu_watch_nudge_locked(struct trm_backend_stream *stream)
{
    struct cpu_watch *watch = stream->watch_first;
    while (watch != NULL && watch->kind != CPU_WATCH_HELPER)
        watch = watch->next;
    if (watch == NULL)
        return false;
    atomic_fetch_or(watch->word, CPU_WATCH_NUDGED);
    trm_util_futex_wake_all(watch->word);
    return true;
}

/* Take out all that are to be told, in order of value. Parked streams are claimed for the session here,
 * since only under the lock nobody else can change them. A quiet session leaves notifications where
 * they are. */
static struct cpu_watch *take_due(struct cpu_session *session, struct trm_backend_stream *stream)
{
    struct cpu_failure *failure = cpu_stream_failure(stream);
    uint64_t completed          = atomic_load(&stream->completed);
    struct cpu_watch *first = NULL, **end = &first, *next = stream->watch_first;
    while (next != NULL && (next->value <= completed || failure != NULL)) {
        struct cpu_watch *watch = next;
        next                    = watch->next;
        if (watch->kind == CPU_WATCH_CALL && session->quiet)
            continue;
        unlink_watch(stream, watch);
        watch->next   = NULL;
        watch->status = watch->value <= completed ? TRM_OK : failure->status;
        if (watch->kind == CPU_WATCH_STREAM) {
            atomic_exchange(&watch->stream->state, CPU_RUNNING);
            watch->stream->owed = true;
            cpu_session_add(session, watch->stream);
            continue;
        }
        *end = watch;
        end  = &watch->next;
    }
    update_watched(stream);
    return first;
}

/* ---- memory for notifications */

struct cpu_watch *cpu_watch_take(struct trm_backend_instance *instance)
{
    struct cpu_pool *pool = &instance->pool;
    pthread_mutex_lock(&pool->lock);
    struct cpu_watch *watch = pool->spare_watches;
    if (watch != NULL) {
        pool->spare_watches = watch->next;
        pool->spare_watch_count--;
    }
    pthread_mutex_unlock(&pool->lock);
    return watch != NULL ? watch : cpu_allocate(instance, sizeof(*watch));
}

void cpu_watch_give(struct trm_backend_instance *instance, struct cpu_watch *watch)
{
    struct cpu_pool *pool = &instance->pool;
    pthread_mutex_lock(&pool->lock);
    bool keep = pool->spare_watch_count < SPARE_WATCHES;
    if (keep) {
        watch->next         = pool->spare_watches;
        pool->spare_watches = watch;
        pool->spare_watch_count++;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!keep)
        trm_util_release(instance->host, watch, sizeof(*watch));
}

void cpu_watch_free_spare(struct trm_backend_instance *instance)
{
    struct cpu_watch *watch = instance->pool.spare_watches, *next;
    for (; watch != NULL; watch = next) {
        next = watch->next;
        trm_util_release(instance->host, watch, sizeof(*watch));
    }
    instance->pool.spare_watches = NULL;
}

/* ---- telling */

static void tell(struct trm_backend_instance *instance, struct cpu_watch *watch)
{
    if (watch->kind != CPU_WATCH_CALL) {
        _Atomic uint32_t *word = watch->word;
        atomic_fetch_add(word, 1);
        /* The word may be gone already: then this wakes nobody, or somebody who looks again. */
        trm_util_futex_wake_all(word);
        return;
    }
    trm_notify_fn function = watch->call.function;
    void *user             = watch->call.user;
    int32_t status         = watch->status;
    cpu_watch_give(instance, watch);
    function(user, status);
}

void cpu_watch_fire(struct cpu_session *session, struct trm_backend_stream *stream)
{
    struct cpu_pool *pool = &session->instance->pool;
    pthread_mutex_lock(&pool->lock);
    struct cpu_watch *watch = take_due(session, stream);
    pthread_mutex_unlock(&pool->lock);
    while (watch != NULL) {
        struct cpu_watch *next = watch->next;
        tell(session->instance, watch);
        watch = next;
    }
}
