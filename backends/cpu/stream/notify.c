/* cpu backend: the lists of waiters, and notifying them.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/notify.h"

#include "backends/cpu/stream/session.h"

#define SPARE_WAITERS 64u /* how many are kept for reuse */

static uint64_t first_value(const struct trm_backend_stream *stream)
{
    return stream->waiter_first ? stream->waiter_first->value : UINT64_MAX;
}

/* Raises `awaited` after waiters were taken out. A thread that still reads the lower value looks into the
 * list in vain. */
static void raise_awaited(struct trm_backend_stream *stream)
{
    atomic_store_explicit(&stream->awaited, first_value(stream), memory_order_release);
}

/* After the last one that is not higher. Most values come in order, so the search begins at the end. */
static void insert(struct trm_backend_stream *stream, struct cpu_waiter *waiter)
{
    struct cpu_waiter *before = stream->waiter_last;
    while (before != NULL && before->value > waiter->value)
        before = before->previous;
    waiter->previous = before;
    waiter->next     = before ? before->next : stream->waiter_first;
    *(waiter->next ? &waiter->next->previous : &stream->waiter_last) = waiter;
    *(before ? &before->next : &stream->waiter_first)                = waiter;
    waiter->is_linked                                                = true;
}

static void unlink_waiter(struct trm_backend_stream *stream, struct cpu_waiter *waiter)
{
    *(waiter->next ? &waiter->next->previous : &stream->waiter_last)      = waiter->previous;
    *(waiter->previous ? &waiter->previous->next : &stream->waiter_first) = waiter->next;
    waiter->is_linked                                                     = false;
}

bool cpu_waiter_add_locked(struct trm_backend_stream *stream, struct cpu_waiter *waiter)
{
    if (cpu_stream_has_reached(stream, waiter->value) || cpu_stream_failure(stream) != NULL)
        return false;
    insert(stream, waiter);
    atomic_store(&stream->awaited, first_value(stream));
    /* The owner stores `completed` or `failure`, then reads `awaited`. Here the order is the reverse, so at
     * least one of the two threads sees the other's store. */
    if (!cpu_stream_has_reached(stream, waiter->value) && cpu_stream_failure(stream) == NULL)
        return true;
    cpu_waiter_remove_locked(stream, waiter);
    return false;
}

bool cpu_waiter_remove_locked(struct trm_backend_stream *stream, struct cpu_waiter *waiter)
{
    if (!waiter->is_linked)
        return false;
    unlink_waiter(stream, waiter);
    raise_awaited(stream);
    return true;
}

bool cpu_waiter_nudge_locked(struct trm_backend_stream *stream)
{
    struct cpu_waiter *waiter = stream->waiter_first;
    while (waiter != NULL && waiter->kind != CPU_WAITER_HELPER)
        waiter = waiter->next;
    if (waiter == NULL)
        return false;
    atomic_fetch_or(waiter->word, CPU_WAITER_NUDGED);
    trm_util_futex_wake_all(waiter->word);
    return true;
}

/* Parked streams are claimed for the session here, since their state changes only under the lock. A quiet
 * session leaves notifications in the list. */
struct cpu_waiter *cpu_waiters_take_due_locked(struct cpu_session *session, struct trm_backend_stream *stream)
{
    struct cpu_failure *failure = cpu_stream_failure(stream);
    uint64_t completed          = atomic_load(&stream->completed);
    struct cpu_waiter *first = NULL, **end = &first, *next = stream->waiter_first;
    while (next != NULL && (next->value <= completed || failure != NULL)) {
        struct cpu_waiter *waiter = next;
        next                      = waiter->next;
        if (waiter->kind == CPU_WAITER_CALL && session->is_quiet)
            continue;
        unlink_waiter(stream, waiter);
        waiter->next   = NULL;
        waiter->status = waiter->value <= completed ? TRM_OK : failure->status;
        if (waiter->kind == CPU_WAITER_STREAM) {
            atomic_exchange(&waiter->stream->state, CPU_STREAM_RUNNING);
            waiter->stream->must_run = true;
            cpu_session_add_ready(session, waiter->stream);
            continue;
        }
        *end = waiter;
        end  = &waiter->next;
    }
    raise_awaited(stream);
    return first;
}

/* ---- waiters for notifications */

struct cpu_waiter *cpu_waiter_allocate(struct cpu_scheduler *scheduler)
{
    pthread_mutex_lock(scheduler->lock);
    struct cpu_waiter *waiter = scheduler->spare_waiters;
    if (waiter != NULL) {
        scheduler->spare_waiters = waiter->next;
        scheduler->spare_waiter_count--;
    }
    pthread_mutex_unlock(scheduler->lock);
    return waiter != NULL ? waiter : cpu_allocate(scheduler->instance, sizeof(*waiter));
}

void cpu_waiter_free(struct cpu_scheduler *scheduler, struct cpu_waiter *waiter)
{
    pthread_mutex_lock(scheduler->lock);
    bool is_kept = scheduler->spare_waiter_count < SPARE_WAITERS;
    if (is_kept) {
        waiter->next             = scheduler->spare_waiters;
        scheduler->spare_waiters = waiter;
        scheduler->spare_waiter_count++;
    }
    pthread_mutex_unlock(scheduler->lock);
    if (!is_kept)
        trm_util_release(scheduler->instance->host, waiter, sizeof(*waiter));
}

void cpu_waiters_free_spare(struct cpu_scheduler *scheduler)
{
    struct cpu_waiter *waiter = scheduler->spare_waiters, *next;
    for (; waiter != NULL; waiter = next) {
        next = waiter->next;
        trm_util_release(scheduler->instance->host, waiter, sizeof(*waiter));
    }
    scheduler->spare_waiters = NULL;
}

/* ---- notifying */

static void notify(struct cpu_scheduler *scheduler, struct cpu_waiter *waiter)
{
    if (waiter->kind != CPU_WAITER_CALL) {
        _Atomic uint32_t *word = waiter->word;
        atomic_fetch_add(word, 1);
        /* The word may be gone already. Then this wakes no thread, or one that tests its condition again. */
        trm_util_futex_wake_all(word);
        return;
    }
    trm_notify_fn function = waiter->call.function;
    void *user             = waiter->call.user;
    int32_t status         = waiter->status;
    cpu_waiter_free(scheduler, waiter);
    function(user, status);
}

void cpu_waiters_notify(struct cpu_session *session, struct trm_backend_stream *stream)
{
    struct cpu_scheduler *scheduler = session->scheduler;
    pthread_mutex_lock(scheduler->lock);
    struct cpu_waiter *waiter = cpu_waiters_take_due_locked(session, stream);
    pthread_mutex_unlock(scheduler->lock);
    cpu_waiters_notify_taken(scheduler, waiter);
}

void cpu_waiters_notify_taken(struct cpu_scheduler *scheduler, struct cpu_waiter *waiter)
{
    while (waiter != NULL) {
        struct cpu_waiter *next = waiter->next;
        notify(scheduler, waiter);
        waiter = next;
    }
}
