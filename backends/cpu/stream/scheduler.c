/* cpu backend: the run queue, the tokens, creating and destroying the scheduler.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/scheduler.h"

#include "backends/cpu/stream/job.h"
#include "backends/cpu/stream/notify.h"

#include <string.h>

#define HELPER_US 50u   /* how long a helper is expected to come back */
#define AFFINITY_US 10u /* how long a stream is left to the processor that has its data in its cache */
#define LOOK_AT 8u      /* how many streams of the queue are considered */

/* ---- run queue */

void cpu_scheduler_push_locked(struct cpu_scheduler *scheduler, struct trm_backend_stream *stream)
{
    /* A helper may have claimed the stream and left it in the queue: it keeps that place. */
    if (stream->is_queued)
        return;
    struct cpu_run_queue *queue                             = &scheduler->queues[stream->priority];
    stream->run_next                                        = NULL;
    stream->run_previous                                    = queue->last;
    *(queue->last ? &queue->last->run_next : &queue->first) = stream;
    queue->last                                             = stream;
    stream->is_queued                                       = true;
    atomic_store_explicit(&stream->queued_at, cpu_coarse_ticks(), memory_order_relaxed);
    atomic_fetch_add(&scheduler->runnable, 1);
}

void cpu_scheduler_remove_locked(struct cpu_scheduler *scheduler, struct trm_backend_stream *stream)
{
    if (!stream->is_queued)
        return;
    struct cpu_run_queue *queue = &scheduler->queues[stream->priority];
    *(stream->run_next ? &stream->run_next->run_previous : &queue->last)      = stream->run_previous;
    *(stream->run_previous ? &stream->run_previous->run_next : &queue->first) = stream->run_next;
    stream->is_queued                                                         = false;
    atomic_fetch_sub(&scheduler->runnable, 1);
}

static bool is_recent(const struct cpu_scheduler *scheduler, uint32_t then, uint32_t now)
{
    return now - then < scheduler->affinity_ticks;
}

static uint32_t last_work_of(const struct cpu_scheduler *scheduler, uint32_t processor)
{
    return atomic_load_explicit(&scheduler->activity[processor % CPU_ACTIVITY_SLOTS].at,
                                memory_order_relaxed);
}

/* The data of a stream is in the cache of the processor that ran it last, and fetching it from there costs
 * more than short operations do. So the stream is left to that processor for AFFINITY_US, as long as both
 * that one and this one are busy. */
bool cpu_scheduler_may_take(const struct cpu_scheduler *scheduler, const struct trm_backend_stream *stream)
{
    uint32_t here = cpu_current_processor(),
             its  = atomic_load_explicit(&stream->last_processor, memory_order_relaxed);
    uint32_t now  = cpu_coarse_ticks();
    return its == here || its == 0 ||
           !is_recent(scheduler, atomic_load_explicit(&stream->queued_at, memory_order_relaxed), now) ||
           !is_recent(scheduler, last_work_of(scheduler, its), now) ||
           !is_recent(scheduler, last_work_of(scheduler, here), now);
}

void cpu_scheduler_note_work(struct cpu_scheduler *scheduler)
{
    atomic_store_explicit(&scheduler->activity[cpu_current_processor() % CPU_ACTIVITY_SLOTS].at,
                          cpu_coarse_ticks(), memory_order_relaxed);
}

/* Whether an earlier stream of the queue waits for the same processor: then the later one is better run
 * elsewhere, where it stays. */
static bool is_behind_another(const struct cpu_run_queue *queue, const struct trm_backend_stream *stream)
{
    uint32_t its = atomic_load_explicit(&stream->last_processor, memory_order_relaxed);
    for (const struct trm_backend_stream *other = queue->first; other != stream; other = other->run_next)
        if (atomic_load_explicit(&other->last_processor, memory_order_relaxed) == its)
            return true;
    return false;
}

static struct trm_backend_stream *nearest_locked(const struct cpu_scheduler *scheduler,
                                                 const struct cpu_run_queue *queue)
{
    struct trm_backend_stream *stream = queue->first, *spare = NULL;
    for (uint32_t i = 0; i < LOOK_AT && stream != NULL; i++, stream = stream->run_next) {
        if (cpu_scheduler_may_take(scheduler, stream))
            return stream;
        if (spare == NULL && is_behind_another(queue, stream))
            spare = stream;
    }
    return spare;
}

/* A stream that is left to another processor also holds back the streams of lower priority. */
static struct trm_backend_stream *pop_locked(struct cpu_scheduler *scheduler)
{
    for (uint32_t i = 0; i < CPU_PRIORITIES; i++) {
        struct trm_backend_stream *stream;
        while ((stream = nearest_locked(scheduler, &scheduler->queues[i])) != NULL) {
            cpu_scheduler_remove_locked(scheduler, stream);
            uint32_t queued = CPU_STREAM_QUEUED;
            if (atomic_compare_exchange_strong(&stream->state, &queued, CPU_STREAM_RUNNING)) {
                stream->must_run = true;
                return stream;
            }
        }
        if (scheduler->queues[i].first != NULL)
            return NULL;
    }
    return NULL;
}

struct trm_backend_stream *cpu_scheduler_pop(struct cpu_scheduler *scheduler)
{
    if (atomic_load(&scheduler->runnable) == 0)
        return NULL;
    pthread_mutex_lock(scheduler->lock);
    struct trm_backend_stream *stream = pop_locked(scheduler);
    pthread_mutex_unlock(scheduler->lock);
    return stream;
}

/* ---- tokens */

uint32_t cpu_token_acquire(struct cpu_scheduler *scheduler)
{
    for (uint32_t i = 0; i < (scheduler->size + 63) / 64; i++) {
        uint64_t free = atomic_load(&scheduler->tokens[i]);
        while (free != 0) {
            uint64_t lowest = free & -free;
            if (atomic_compare_exchange_weak(&scheduler->tokens[i], &free, free & ~lowest))
                return i * 64 + (uint32_t)__builtin_ctzll(lowest);
        }
    }
    return CPU_NO_TOKEN;
}

bool cpu_token_is_available(struct cpu_scheduler *scheduler)
{
    for (uint32_t i = 0; i < (scheduler->size + 63) / 64; i++)
        if (atomic_load(&scheduler->tokens[i]) != 0)
            return true;
    return false;
}

/* A worker that found no token sleeps, so the thread that releases one wakes a worker when work is left. The
 * worker looks at the tokens once more when it is in the idle list, so no wake-up is lost. */
void cpu_token_release(struct cpu_scheduler *scheduler, uint32_t token)
{
    atomic_fetch_or(&scheduler->tokens[token / 64], (uint64_t)1 << token % 64);
    if (cpu_scheduler_has_work(scheduler))
        cpu_workers_wake(scheduler, 1);
}

void cpu_scheduler_note_help(struct cpu_scheduler *scheduler)
{
    atomic_store_explicit(&scheduler->helper_until, cpu_ticks() + scheduler->helper_ticks,
                          memory_order_relaxed);
}

/* ---- creating and destroying */

/* The lock is held so shortly that spinning is better than sleeping, where the C library has adaptive
 * locks. */
void cpu_scheduler_lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void release_arrays(struct cpu_scheduler *scheduler)
{
    const struct trm_host *host = scheduler->instance->host;
    trm_util_release(host, scheduler->jobs, scheduler->size * sizeof(*scheduler->jobs));
    trm_util_release(host, scheduler->scratch, scheduler->size * sizeof(*scheduler->scratch));
    trm_util_release(host, scheduler->workers, scheduler->size * sizeof(*scheduler->workers));
}

static bool allocate_arrays(struct cpu_scheduler *scheduler)
{
    struct trm_backend_instance *instance = scheduler->instance;
    scheduler->workers = cpu_allocate(instance, scheduler->size * sizeof(*scheduler->workers));
    scheduler->scratch = cpu_allocate(instance, scheduler->size * sizeof(*scheduler->scratch));
    scheduler->jobs    = cpu_allocate(instance, scheduler->size * sizeof(*scheduler->jobs));
    if (scheduler->workers == NULL || scheduler->scratch == NULL || scheduler->jobs == NULL) {
        release_arrays(scheduler);
        return false;
    }
    memset(scheduler->workers, 0, scheduler->size * sizeof(*scheduler->workers));
    memset(scheduler->scratch, 0, scheduler->size * sizeof(*scheduler->scratch));
    memset(scheduler->jobs, 0, scheduler->size * sizeof(*scheduler->jobs));
    return true;
}

/* All workers are idle and have no thread; all tokens are free. */
static void init_workers(struct cpu_scheduler *scheduler)
{
    for (uint32_t i = scheduler->size; i-- > 0;) {
        struct cpu_worker *worker = &scheduler->workers[i];
        worker->scheduler         = scheduler;
        worker->next              = scheduler->idle;
        scheduler->idle           = worker;
        scheduler->idle_count++;
        atomic_fetch_or(&scheduler->tokens[i / 64], (uint64_t)1 << i % 64);
    }
}

int32_t cpu_scheduler_create(struct trm_backend_instance *instance, uint32_t workers, uint32_t spin_us,
                             struct cpu_scheduler **result)
{
    uint32_t processors             = cpu_processor_count();
    uint64_t rate                   = cpu_clock_rate(&instance->clock);
    struct cpu_scheduler *scheduler = cpu_allocate(instance, sizeof(*scheduler));
    if (scheduler == NULL)
        return trm_util_fail_host_memory(instance->host, "the worker threads");
    memset(scheduler, 0, sizeof(*scheduler));
    scheduler->instance = instance;
    scheduler->lock     = &instance->lock;
    scheduler->size     = workers;
    if (!allocate_arrays(scheduler)) {
        trm_util_release(instance->host, scheduler, sizeof(*scheduler));
        return trm_util_fail_host_memory(instance->host, "the worker threads");
    }
    init_workers(scheduler);
    cpu_transfers_init(&scheduler->transfers, cpu_cache_bytes());
    scheduler->affinity_ticks = (uint32_t)(AFFINITY_US * rate >> CPU_COARSE_SHIFT);
    scheduler->helper_ticks   = HELPER_US * rate;
    scheduler->spin_ticks     = processors > 1 ? spin_us * rate : 0;
    *result                   = scheduler;
    return TRM_OK;
}

uint32_t cpu_scheduler_size(const struct cpu_scheduler *scheduler)
{
    return scheduler->size;
}

void cpu_scheduler_destroy(struct cpu_scheduler *scheduler)
{
    if (scheduler == NULL)
        return;
    struct trm_backend_instance *instance = scheduler->instance;
    pthread_mutex_lock(scheduler->lock);
    atomic_store(&scheduler->is_stopping, true);
    pthread_mutex_unlock(scheduler->lock);
    cpu_workers_join(scheduler);
    cpu_waiters_free_spare(scheduler);
    for (uint32_t i = 0; i < scheduler->size; i++)
        trm_util_release(instance->host, scheduler->scratch[i].data, scheduler->scratch[i].size);
    release_arrays(scheduler);
    trm_util_release(instance->host, scheduler, sizeof(*scheduler));
}
