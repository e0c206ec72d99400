/* cpu backend: the run queue, tokens, the pool as a whole.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/scheduler.h"

#include "backends/cpu/stream/job.h"
#include "backends/cpu/stream/notify.h"

#include <string.h>

#define STACK_BYTES (512u << 10)
#define AROUND_US 50u /* a thread that helped is expected back for so long */
#define LEAVE_US 10u  /* a stream is left to the processor that has its data for so long… */
#define LOOK 8u       /* …so many streams of the queue are looked at for one that is not */

/* ---- run queue */

void cpu_pool_push_locked(struct cpu_pool *pool, struct trm_backend_stream *stream)
{
    if (stream->linked) /* a helper claimed it meanwhile; the place that it left behind serves as well */
        return;
    struct cpu_run_queue *queue                             = &pool->queues[stream->priority];
    stream->run_next                                        = NULL;
    stream->run_previous                                    = queue->last;
    *(queue->last ? &queue->last->run_next : &queue->first) = stream;
    queue->last                                             = stream;
    stream->linked                                          = true;
    atomic_store_explicit(&stream->queued_at, cpu_coarse_ticks(), memory_order_relaxed);
    atomic_fetch_add(&pool->runnable, 1);
}

void cpu_pool_remove_locked(struct cpu_pool *pool, struct trm_backend_stream *stream)
{
    if (!stream->linked)
        return;
    struct cpu_run_queue *queue                                          = &pool->queues[stream->priority];
    *(stream->run_next ? &stream->run_next->run_previous : &queue->last) = stream->run_previous;
    *(stream->run_previous ? &stream->run_previous->run_next : &queue->first) = stream->run_next;
    stream->linked                                                            = false;
    atomic_fetch_sub(&pool->runnable, 1);
}

/* What a stream works on is in the cache of the processor that ran it last, and to fetch it from there costs more than short
 * work itself. So it is left to that one while it is at work, as long as this one has work of its own. */
static bool is_recent(const struct cpu_pool *pool, uint32_t then, uint32_t now)
{
    return now - then < pool->leave_ticks;
}

static uint32_t worked_at(const struct cpu_pool *pool, uint32_t processor)
{
    return atomic_load_explicit(&pool->worked[processor % CPU_PLACES].at, memory_order_relaxed);
}

bool cpu_pool_may_take(const struct cpu_pool *pool, const struct trm_backend_stream *stream)
{
    uint32_t here = cpu_here(), its = atomic_load_explicit(&stream->processor, memory_order_relaxed);
    uint32_t now = cpu_coarse_ticks();
    return its == here || its == 0 ||
           !is_recent(pool, atomic_load_explicit(&stream->queued_at, memory_order_relaxed), now) ||
           !is_recent(pool, worked_at(pool, its), now) || !is_recent(pool, worked_at(pool, here), now);
}

void cpu_pool_worked(struct cpu_pool *pool)
{
    atomic_store_explicit(&pool->worked[cpu_here() % CPU_PLACES].at, cpu_coarse_ticks(),
                          memory_order_relaxed);
}

/* Of two that wait for the same processor one is better off elsewhere, and stays there. */
static bool waits_behind_another(const struct cpu_run_queue *queue, const struct trm_backend_stream *stream)
{
    uint32_t its = atomic_load_explicit(&stream->processor, memory_order_relaxed);
    for (const struct trm_backend_stream *other = queue->first; other != stream; other = other->run_next)
        if (atomic_load_explicit(&other->processor, memory_order_relaxed) == its)
            return true;
    return false;
}

static struct trm_backend_stream *nearest_locked(const struct cpu_pool *pool,
                                                 const struct cpu_run_queue *queue)
{
    struct trm_backend_stream *stream = queue->first, *spare = NULL;
    for (uint32_t i = 0; i < LOOK && stream != NULL; i++, stream = stream->run_next) {
        if (cpu_pool_may_take(pool, stream))
            return stream;
        if (spare == NULL && waits_behind_another(queue, stream))
            spare = stream;
    }
    return spare;
}

/* What is left to another processor also keeps what is less urgent waiting. */
static struct trm_backend_stream *pop_locked(struct cpu_pool *pool)
{
    for (uint32_t i = 0; i < CPU_PRIORITIES; i++) {
        struct trm_backend_stream *stream;
        while ((stream = nearest_locked(pool, &pool->queues[i])) != NULL) {
            cpu_pool_remove_locked(pool, stream);
            uint32_t queued = CPU_QUEUED;
            if (atomic_compare_exchange_strong(&stream->state, &queued, CPU_RUNNING)) {
                stream->owed = true;
                return stream;
            }
        }
        if (pool->queues[i].first != NULL)
            return NULL;
    }
    return NULL;
}

struct trm_backend_stream *cpu_pool_pop(struct cpu_pool *pool)
{
    if (atomic_load(&pool->runnable) == 0)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    struct trm_backend_stream *stream = pop_locked(pool);
    pthread_mutex_unlock(&pool->lock);
    return stream;
}

/* ---- tokens */

uint32_t cpu_token_take(struct cpu_pool *pool)
{
    for (uint32_t i = 0; i < (pool->size + 63) / 64; i++) {
        uint64_t free = atomic_load(&pool->tokens[i]);
        while (free != 0) {
            uint64_t lowest = free & -free;
            if (atomic_compare_exchange_weak(&pool->tokens[i], &free, free & ~lowest))
                return i * 64 + (uint32_t)__builtin_ctzll(lowest);
        }
    }
    return CPU_NO_TOKEN;
}

bool cpu_token_is_free(struct cpu_pool *pool)
{
    for (uint32_t i = 0; i < (pool->size + 63) / 64; i++)
        if (atomic_load(&pool->tokens[i]) != 0)
            return true;
    return false;
}

/* A worker that found no token sleeps; so whoever gives one back looks whether work is left. The worker
 * looks at the tokens once more after it is in the list of sleepers. */
void cpu_token_give(struct cpu_pool *pool, uint32_t token)
{
    atomic_fetch_or(&pool->tokens[token / 64], (uint64_t)1 << token % 64);
    if (cpu_pool_has_work(pool))
        cpu_pool_rouse(pool, 1);
}

void cpu_pool_helped(struct cpu_pool *pool)
{
    atomic_store_explicit(&pool->helped_until, cpu_ticks() + pool->around_ticks, memory_order_relaxed);
}

/* ---- the pool */

/* Held so shortly that it is better to try again than to sleep, where the C library has such locks. */
static void init_lock(struct cpu_pool *pool)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(&pool->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

int32_t cpu_pool_init(struct trm_backend_instance *instance, uint32_t workers, uint32_t spin_us)
{
    struct cpu_pool *pool = &instance->pool;
    uint32_t processors   = cpu_count_processors();
    uint32_t size         = workers != 0 ? workers : processors;
    pool->size            = size < CPU_MAX_WORKERS ? size : CPU_MAX_WORKERS;
    pool->workers         = cpu_allocate(instance, pool->size * sizeof(*pool->workers));
    pool->scratch         = cpu_allocate(instance, pool->size * sizeof(*pool->scratch));
    pool->jobs            = cpu_allocate(instance, pool->size * sizeof(*pool->jobs));
    if (pool->workers == NULL || pool->scratch == NULL || pool->jobs == NULL) {
        trm_util_release(instance->host, pool->jobs, pool->size * sizeof(*pool->jobs));
        trm_util_release(instance->host, pool->scratch, pool->size * sizeof(*pool->scratch));
        trm_util_release(instance->host, pool->workers, pool->size * sizeof(*pool->workers));
        return trm_util_fail_host_memory(instance->host, "the worker threads");
    }
    memset(pool->workers, 0, pool->size * sizeof(*pool->workers));
    memset(pool->scratch, 0, pool->size * sizeof(*pool->scratch));
    memset(pool->jobs, 0, pool->size * sizeof(*pool->jobs));
    init_lock(pool);
    pool->leave_ticks  = (uint32_t)(LEAVE_US * cpu_clock_rate(&instance->clock) >> 8);
    pool->around_ticks = AROUND_US * cpu_clock_rate(&instance->clock);
    pool->spin_ticks   = processors > 1 ? spin_us * cpu_clock_rate(&instance->clock) : 0;
    for (uint32_t i = pool->size; i-- > 0;) {
        struct cpu_worker *worker = &pool->workers[i];
        worker->instance          = instance;
        worker->next              = pool->idle;
        pool->idle                = worker;
        pool->idle_count++;
        atomic_fetch_or(&pool->tokens[i / 64], (uint64_t)1 << i % 64);
    }
    return TRM_OK;
}

void cpu_pool_fini(struct trm_backend_instance *instance)
{
    struct cpu_pool *pool = &instance->pool;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stop, true);
    pthread_mutex_unlock(&pool->lock);
    cpu_workers_join(pool);
    cpu_watch_free_spare(instance);
    for (uint32_t i = 0; i < pool->size; i++)
        trm_util_release(instance->host, pool->scratch[i].data, pool->scratch[i].size);
    pthread_mutex_destroy(&pool->lock);
    trm_util_release(instance->host, pool->jobs, pool->size * sizeof(*pool->jobs));
    trm_util_release(instance->host, pool->scratch, pool->size * sizeof(*pool->scratch));
    trm_util_release(instance->host, pool->workers, pool->size * sizeof(*pool->workers));
}
