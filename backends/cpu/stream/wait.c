/* cpu backend: waiting for streams.
 *
 * A thread that waits helps: it claims the stream, or the stream that it finally waits for, and runs its
 * operations. With nothing to run, it spins for as long as a short operation takes, then sleeps.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/session.h"

#define FEW_STREAMS 8u    /* up to so many streams, wait_any() allocates nothing */
#define TURNS 3u          /* times that a thread looks again before it sleeps */
#define OTHERS_NS 20000u  /* operations of other streams that are costlier are left to the workers */
#define WAIT_ANY_NS 5000u /* the same, while a thread waits for any of several streams */

/* The costliest operation that a wait with this deadline runs itself: a fraction of the time left, so that it
 * returns in time. Operations whose cost is unknown are left to the workers, except without a deadline. */
static uint64_t most_of(uint64_t left)
{
    return left / 4 < 50000 ? left / 4 : 50000;
}

static uint64_t most_ns(uint64_t deadline)
{
    if (deadline == TRM_UTIL_NEVER)
        return UINT64_MAX;
    uint64_t now = trm_util_now();
    return most_of(deadline > now ? deadline - now : 0);
}

/* Run the operations that `value` of the stream needs, as far as this thread can. */
static void help(struct trm_backend_stream *stream, uint64_t value, uint64_t most)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_session session      = {
             .scheduler  = stream->scheduler,
             .goal       = stream,
             .goal_value = value,
             .limit_ns   = most,
    };
    uint32_t state = atomic_load(&stream->state);
    if (state == CPU_STREAM_RUNNING || state == CPU_STREAM_DIRTY)
        return;
    if (state == CPU_STREAM_QUEUED && !cpu_scheduler_may_take(scheduler, stream))
        return;
    session.token = cpu_token_acquire(scheduler);
    if (session.token == CPU_NO_TOKEN)
        return;
    struct trm_backend_stream *root = stream;
    if (!cpu_stream_claim(stream)) {
        pthread_mutex_lock(scheduler->lock);
        root = cpu_stream_claim_root_locked(stream);
        pthread_mutex_unlock(scheduler->lock);
    }
    cpu_session_run(&session, root);
    cpu_scheduler_note_help(scheduler);
    cpu_token_release(scheduler, session.token);
}

static bool is_over(struct trm_backend_stream *stream, uint64_t value)
{
    return cpu_stream_failure(stream) != NULL || cpu_stream_has_reached(stream, value);
}

/* Another thread runs the stream, so run short operations of other streams meanwhile: then streams of short
 * operations keep all processors busy, and no thread has to be woken. True when there was something to
 * run. */
static bool help_others(struct trm_backend_stream *stream, uint64_t value, uint64_t most)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    struct cpu_session session      = {
             .scheduler  = stream->scheduler,
             .goal       = stream,
             .goal_value = value,
             .limit_ns   = most < OTHERS_NS ? most : OTHERS_NS,
    };
    struct trm_backend_stream *other = NULL;
    if (atomic_load(&scheduler->runnable) == 0)
        return false;
    session.token = cpu_token_acquire(scheduler);
    if (session.token == CPU_NO_TOKEN)
        return false;
    other = cpu_scheduler_pop(scheduler);
    if (other != NULL)
        cpu_session_run(&session, other);
    cpu_scheduler_note_help(scheduler);
    cpu_token_release(scheduler, session.token);
    return other != NULL && !session.met_costly;
}

static bool spin(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count)
{
    uint64_t begin = cpu_ticks();
    do {
        for (uint32_t i = 0; i < count; i++)
            if (is_over(streams[i], values[i]))
                return true;
        trm_util_relax();
    } while (!cpu_have_passed(streams[0]->scheduler->spin_ticks, begin));
    return false;
}

static uint32_t count_notified(const _Atomic uint32_t *word)
{
    return atomic_load(word) & ~CPU_WAITER_NUDGED;
}

static uint32_t add_waiters(struct trm_backend_stream *const *streams, struct cpu_waiter *waiters,
                            uint32_t count)
{
    struct cpu_scheduler *scheduler = streams[0]->scheduler;
    uint32_t added                  = 0;
    pthread_mutex_lock(scheduler->lock);
    while (added < count && cpu_waiter_add_locked(streams[added], &waiters[added]))
        added++;
    pthread_mutex_unlock(scheduler->lock);
    return added;
}

/* Waiters that are being notified must stay valid until that is over. */
static void remove_waiters(struct trm_backend_stream *const *streams, struct cpu_waiter *waiters,
                           uint32_t added, _Atomic uint32_t *word)
{
    struct cpu_scheduler *scheduler = streams[0]->scheduler;
    uint32_t removed                = 0;
    pthread_mutex_lock(scheduler->lock);
    for (uint32_t i = 0; i < added; i++)
        removed += cpu_waiter_remove_locked(streams[i], &waiters[i]) ? 1 : 0;
    pthread_mutex_unlock(scheduler->lock);
    for (uint32_t seen = atomic_load(word); count_notified(word) < added - removed; seen = atomic_load(word))
        trm_util_futex_wait(word, seen, TRM_UTIL_NEVER);
}

/* Sleep until one of the streams has reached its value, the deadline has passed, or, for a HELPER, there is
 * something to run. Only a thread that will run any operation may be a HELPER: no worker is woken instead. */
static void sleep_on(struct trm_backend_stream *const *streams, const uint64_t *values,
                     struct cpu_waiter *waiters, uint32_t count, uint8_t kind, uint64_t deadline)
{
    _Atomic uint32_t word = 0;
    for (uint32_t i = 0; i < count; i++)
        waiters[i] = (struct cpu_waiter){.value = values[i], .word = &word, .kind = kind};
    uint32_t added   = add_waiters(streams, waiters, count);
    bool is_over_now = added < count;
    while (!is_over_now && atomic_load(&word) == 0)
        is_over_now = !trm_util_futex_wait(&word, 0, deadline);
    remove_waiters(streams, waiters, added, &word);
}

/* Another thread may have relied on this thread's help just before it timed out, so a worker is woken. */
static int32_t time_out(struct trm_backend_stream *stream)
{
    const struct trm_host *host     = stream->scheduler->instance->host;
    struct cpu_scheduler *scheduler = stream->scheduler;
    if (cpu_scheduler_has_work(scheduler))
        cpu_workers_wake(scheduler, 1);
    return host->fail(host->context, TRM_ERROR_TIMEOUT, 0,
                      "The wait timed out before the stream reached its number.");
}

static bool is_late(uint64_t deadline)
{
    return deadline != TRM_UTIL_NEVER && trm_util_now() >= deadline;
}

/* A failure takes precedence: once a stream has failed, every call returns the failure. */
static int32_t result_of(struct trm_backend_stream *stream)
{
    return cpu_stream_failure(stream) == NULL ? TRM_OK : cpu_stream_report_failure(stream);
}

/* Whether the stream is still queued although the processor that has its data had time to take it. */
static bool may_help_now(struct trm_backend_stream *stream, uint32_t turns)
{
    return turns < TURNS && atomic_load(&stream->state) == CPU_STREAM_QUEUED &&
           cpu_token_is_available(stream->scheduler);
}

/* The deadline of a wait that began when the processor's clock had come to `begin`. */
static uint64_t deadline_since(const struct trm_backend_stream *stream, uint64_t begin, uint64_t timeout_ns)
{
    uint64_t deadline = trm_util_deadline(timeout_ns);
    return deadline == TRM_UTIL_NEVER
               ? deadline
               : cpu_clock_deadline(&stream->scheduler->instance->clock, deadline, begin);
}

/* This thread could not run what the stream still has to do. */
static int32_t wait_for_others(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    uint8_t kind = deadline == TRM_UTIL_NEVER ? CPU_WAITER_HELPER : CPU_WAITER_THREAD;
    for (uint32_t turns = 0;; turns++) {
        cpu_stream_submit(stream);
        if (!help_others(stream, value, most_ns(deadline)) && !spin(&stream, &value, 1) &&
            !may_help_now(stream, turns)) {
            struct cpu_waiter waiter;
            sleep_on(&stream, &value, &waiter, 1, kind, deadline);
        }
        if (is_over(stream, value))
            return result_of(stream);
        if (is_late(deadline))
            return time_out(stream);
        help(stream, value, most_ns(deadline));
        if (is_over(stream, value))
            return result_of(stream);
    }
}

/* Mostly this thread runs what it waits for. Only otherwise it reads the system's clock for the deadline,
 * which takes as long as a short operation. */
int32_t cpu_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (is_over(stream, value))
        return result_of(stream);
    if (timeout_ns == 0) {
        cpu_stream_submit(stream);
        return is_over(stream, value) ? result_of(stream) : time_out(stream);
    }
    uint64_t begin = cpu_ticks();
    help(stream, value, timeout_ns == TRM_FOREVER ? UINT64_MAX : most_of(timeout_ns));
    if (is_over(stream, value))
        return result_of(stream);
    return wait_for_others(stream, value, deadline_since(stream, begin, timeout_ns));
}

/* The first stream that is over; `count` when none is. */
static uint32_t first_over(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && !is_over(streams[i], values[i]))
        i++;
    return i;
}

/* Run cheap operations here, stream by stream; the rest is left to the workers. */
static uint32_t help_any(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                         uint64_t timeout_ns)
{
    for (uint32_t i = 0; i < count; i++) {
        if (timeout_ns != 0)
            help(streams[i], values[i], WAIT_ANY_NS);
        if (is_over(streams[i], values[i]))
            break;
        cpu_stream_submit(streams[i]);
    }
    return first_over(streams, values, count);
}

int32_t cpu_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                            uint64_t timeout_ns, uint32_t *which)
{
    struct trm_backend_instance *instance = streams[0]->scheduler->instance;
    struct cpu_waiter few[FEW_STREAMS], *waiters = few;
    uint64_t deadline = trm_util_deadline(timeout_ns);
    uint32_t over     = first_over(streams, values, count);
    if (over == count)
        over = help_any(streams, values, count, timeout_ns);
    if (over == count && timeout_ns != 0) {
        if (count > FEW_STREAMS)
            waiters = cpu_allocate(instance, count * sizeof(*waiters));
        if (waiters == NULL)
            return trm_util_fail_host_memory(instance->host, "waiting for many streams");
        do {
            if (!spin(streams, values, count))
                sleep_on(streams, values, waiters, count, CPU_WAITER_THREAD, deadline);
            over = first_over(streams, values, count);
        } while (over == count && !is_late(deadline));
        if (waiters != few)
            trm_util_release(instance->host, waiters, count * sizeof(*waiters));
    }
    if (over == count)
        return time_out(streams[0]);
    *which = over;
    return result_of(streams[over]);
}

/* The number is complete already: call in the caller's own thread. */
static void notify_now(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user)
{
    const struct cpu_failure *failure = cpu_stream_failure(stream);
    notify(user, failure == NULL || cpu_stream_has_reached(stream, value) ? TRM_OK : failure->status);
}

/* The stream is submitted before the waiter is added: once the waiter is notified, the stream may be gone. */
int32_t cpu_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user)
{
    struct cpu_scheduler *scheduler = stream->scheduler;
    if (!is_over(stream, value))
        cpu_session_run_short(stream);
    if (is_over(stream, value)) {
        notify_now(stream, value, notify, user);
        return TRM_OK;
    }
    struct cpu_waiter *waiter = cpu_waiter_allocate(scheduler);
    if (waiter == NULL)
        return trm_util_fail_host_memory(scheduler->instance->host, "a notification");
    *waiter               = (struct cpu_waiter){.value = value, .kind = CPU_WAITER_CALL};
    waiter->call.function = notify;
    waiter->call.user     = user;
    cpu_stream_submit(stream);
    pthread_mutex_lock(scheduler->lock);
    bool is_added = cpu_waiter_add_locked(stream, waiter);
    pthread_mutex_unlock(scheduler->lock);
    if (!is_added) {
        cpu_waiter_free(scheduler, waiter);
        notify_now(stream, value, notify, user);
    }
    return TRM_OK;
}
