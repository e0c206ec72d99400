/* cpu backend: waiting for streams.
 *
 * Who waits helps: it claims the stream, or the one that this finally waits for, and runs its
 * operations. With nothing to help with, it spins for as long as a short operation takes, then sleeps.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/session.h"

#define FEW_STREAMS 8u
#define TURNS 3u         /* times that a thread looks again before it sleeps */
#define OTHERS_NS 20000u /* operations of other streams that are dearer than this… */
#define WAIT_ANY_NS 5000u /* …and than this while it waits for any of many streams are left to the workers… */

/* …and so are those that a wait with a time-out might not survive, and all whose cost is not known. */
static uint64_t most_ns(uint64_t deadline)
{
    if (deadline == TRM_UTIL_NEVER)
        return UINT64_MAX;
    uint64_t now  = trm_util_now();
    uint64_t left = deadline > now ? deadline - now : 0;
    return left / 4 < 50000 ? left / 4 : 50000;
}

/* Run what `value` of the stream needs, as far as this thread can. */
static void help(struct trm_backend_stream *stream, uint64_t value, uint64_t most)
{
    struct cpu_pool *pool      = &stream->instance->pool;
    struct cpu_session session = {
        .instance   = stream->instance,
        .goal       = stream,
        .goal_value = value,
        .most_ns    = most,
    };
    uint32_t state = atomic_load(&stream->state);
    if (state == CPU_RUNNING || state == CPU_DIRTY)
        return;
    if (state == CPU_QUEUED && !cpu_pool_may_take(pool, stream))
        return;
    session.token = cpu_token_take(pool);
    if (session.token == CPU_NO_TOKEN)
        return;
    struct trm_backend_stream *root = stream;
    if (!cpu_stream_claim(stream)) {
        pthread_mutex_lock(&pool->lock);
        root = cpu_stream_claim_root_locked(stream);
        pthread_mutex_unlock(&pool->lock);
    }
    cpu_session_run(&session, root);
    cpu_pool_helped(pool);
    cpu_token_give(pool, session.token);
}

static bool is_over(struct trm_backend_stream *stream, uint64_t value)
{
    return cpu_stream_failure(stream) != NULL || cpu_stream_reached(stream, value);
}

/* Another thread runs the stream, so run what else there is instead of looking on, as long as it is short: then streams of
 * short work keep all processors busy without a thread being woken. True when there was something. */
static bool help_others(struct trm_backend_stream *stream, uint64_t value, uint64_t most)
{
    struct cpu_pool *pool      = &stream->instance->pool;
    struct cpu_session session = {
        .instance   = stream->instance,
        .goal       = stream,
        .goal_value = value,
        .most_ns    = most < OTHERS_NS ? most : OTHERS_NS,
    };
    struct trm_backend_stream *other = NULL;
    if (atomic_load(&pool->runnable) == 0)
        return false;
    session.token = cpu_token_take(pool);
    if (session.token == CPU_NO_TOKEN)
        return false;
    other = cpu_pool_pop(pool);
    if (other != NULL)
        cpu_session_run(&session, other);
    cpu_pool_helped(pool);
    cpu_token_give(pool, session.token);
    return other != NULL && !session.refused;
}

static bool spin(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count)
{
    uint64_t budget = streams[0]->instance->pool.spin_ticks;
    uint64_t end    = cpu_ticks() + budget;
    do {
        for (uint32_t i = 0; i < count; i++)
            if (is_over(streams[i], values[i]))
                return true;
        trm_util_relax();
    } while (budget != 0 && cpu_ticks() < end);
    return false;
}

static uint32_t told(const _Atomic uint32_t *word)
{
    return atomic_load(word) & ~CPU_WATCH_NUDGED;
}

static uint32_t add_watches(struct trm_backend_stream *const *streams, struct cpu_watch *watches,
                            uint32_t count)
{
    struct cpu_pool *pool = &streams[0]->instance->pool;
    uint32_t added        = 0;
    pthread_mutex_lock(&pool->lock);
    while (added < count && cpu_watch_add_locked(streams[added], &watches[added]))
        added++;
    pthread_mutex_unlock(&pool->lock);
    return added;
}

/* Those that are being told have to stay until that is over. */
static void remove_watches(struct trm_backend_stream *const *streams, struct cpu_watch *watches,
                           uint32_t added, _Atomic uint32_t *word)
{
    struct cpu_pool *pool = &streams[0]->instance->pool;
    uint32_t removed      = 0;
    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = 0; i < added; i++)
        removed += cpu_watch_remove_locked(streams[i], &watches[i]) ? 1 : 0;
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t seen = atomic_load(word); told(word) < added - removed; seen = atomic_load(word))
        trm_util_futex_wait(word, seen, TRM_UTIL_NEVER);
}

/* Sleep until one of the streams has got there, the deadline has come, or (a HELPER) this thread is to
 * help. Only who will run whatever there is may be a HELPER: no worker is woken where one is asked. */
static void sleep_on(struct trm_backend_stream *const *streams, const uint64_t *values,
                     struct cpu_watch *watches, uint32_t count, uint8_t kind, uint64_t deadline)
{
    _Atomic uint32_t word = 0;
    for (uint32_t i = 0; i < count; i++)
        watches[i] = (struct cpu_watch){.value = values[i], .word = &word, .kind = kind};
    uint32_t added = add_watches(streams, watches, count);
    bool over      = added < count;
    while (!over && atomic_load(&word) == 0)
        over = !trm_util_futex_wait(&word, 0, deadline);
    remove_watches(streams, watches, added, &word);
}

/* Somebody may have counted on this thread's help just before it gave up waiting. */
static int32_t time_out(struct trm_backend_stream *stream)
{
    const struct trm_host *host = stream->instance->host;
    struct cpu_pool *pool       = &stream->instance->pool;
    if (cpu_pool_has_work(pool))
        cpu_pool_rouse(pool, 1);
    return host->fail(host->context, TRM_ERROR_TIMEOUT, 0, "The stream has not got there yet.");
}

static bool is_late(uint64_t deadline)
{
    return deadline != TRM_UTIL_NEVER && trm_util_now() >= deadline;
}

/* The failure comes first: once a stream has failed, it says so for ever. */
static int32_t result_of(struct trm_backend_stream *stream)
{
    return cpu_stream_failure(stream) == NULL ? TRM_OK : cpu_stream_report(stream);
}

/* The processor that has the stream's data had its time, and did not take it. */
static bool may_help_now(struct trm_backend_stream *stream, uint32_t turns)
{
    return turns < TURNS && atomic_load(&stream->state) == CPU_QUEUED &&
           cpu_token_is_free(&stream->instance->pool);
}

int32_t cpu_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (is_over(stream, value))
        return result_of(stream);
    if (timeout_ns == 0) {
        cpu_stream_submit(stream);
        return is_over(stream, value) ? result_of(stream) : time_out(stream);
    }
    uint64_t deadline = trm_util_deadline(timeout_ns);
    uint8_t kind      = deadline == TRM_UTIL_NEVER ? CPU_WATCH_HELPER : CPU_WATCH_THREAD;
    for (uint32_t turns = 0;; turns++) {
        help(stream, value, most_ns(deadline));
        if (is_over(stream, value))
            return result_of(stream);
        cpu_stream_submit(stream);
        if (!help_others(stream, value, most_ns(deadline)) && !spin(&stream, &value, 1) &&
            !may_help_now(stream, turns)) {
            struct cpu_watch watch;
            sleep_on(&stream, &value, &watch, 1, kind, deadline);
        }
        if (is_over(stream, value))
            return result_of(stream);
        if (is_late(deadline))
            return time_out(stream);
    }
}

/* The lowest stream that is over; `count` when none is. */
static uint32_t first_over(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && !is_over(streams[i], values[i]))
        i++;
    return i;
}

/* Cheap work is done here, stream by stream; the rest is left to the workers. */
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

int32_t cpu_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                     uint64_t timeout_ns, uint32_t *which)
{
    struct trm_backend_instance *instance = streams[0]->instance;
    struct cpu_watch few[FEW_STREAMS], *watches = few;
    uint64_t deadline = trm_util_deadline(timeout_ns);
    uint32_t over     = first_over(streams, values, count);
    if (over == count)
        over = help_any(streams, values, count, timeout_ns);
    if (over == count && timeout_ns != 0) {
        if (count > FEW_STREAMS)
            watches = cpu_allocate(instance, count * sizeof(*watches));
        if (watches == NULL)
            return trm_util_fail_host_memory(instance->host, "waiting for many streams");
        do {
            if (!spin(streams, values, count))
                sleep_on(streams, values, watches, count, CPU_WATCH_THREAD, deadline);
            over = first_over(streams, values, count);
        } while (over == count && !is_late(deadline));
        if (watches != few)
            trm_util_release(instance->host, watches, count * sizeof(*watches));
    }
    if (over == count)
        return time_out(streams[0]);
    *which = over;
    return result_of(streams[over]);
}

/* Told at once: the caller's own thread is as good as any. */
static void notify_now(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user)
{
    const struct cpu_failure *failure = cpu_stream_failure(stream);
    notify(user, failure == NULL || cpu_stream_reached(stream, value) ? TRM_OK : failure->status);
}

/* Submitted before the watch is there: once it is told, the stream may be gone. */
int32_t cpu_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user)
{
    struct trm_backend_instance *instance = stream->instance;
    if (!is_over(stream, value))
        cpu_session_run_brief(stream);
    if (is_over(stream, value)) {
        notify_now(stream, value, notify, user);
        return TRM_OK;
    }
    struct cpu_watch *watch = cpu_watch_take(instance);
    if (watch == NULL)
        return trm_util_fail_host_memory(instance->host, "a notification");
    *watch               = (struct cpu_watch){.value = value, .kind = CPU_WATCH_CALL};
    watch->call.function = notify;
    watch->call.user     = user;
    cpu_stream_submit(stream);
    pthread_mutex_lock(&instance->pool.lock);
    bool added = cpu_watch_add_locked(stream, watch);
    pthread_mutex_unlock(&instance->pool.lock);
    if (!added) {
        cpu_watch_give(instance, watch);
        notify_now(stream, value, notify, user);
    }
    return TRM_OK;
}
