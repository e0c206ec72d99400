/* cpu backend: the worker threads: what they do, how they sleep and are woken.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/scheduler.h"

#include "backends/cpu/stream/job.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

#define STACK_BYTES (512u << 10)

static bool serve(struct cpu_session *session)
{
    struct trm_backend_stream *stream = cpu_pool_pop(&session->instance->pool);
    if (stream == NULL)
        return cpu_job_help(session);
    if (atomic_load(&session->instance->pool.runnable) != 0)
        cpu_pool_rouse(&session->instance->pool, 1);
    cpu_session_run(session, stream);
    return true;
}

static bool work(struct trm_backend_instance *instance)
{
    struct cpu_session session = {
        .instance = instance,
        .token    = cpu_token_take(&instance->pool),
        .worker   = true,
        .most_ns  = UINT64_MAX,
    };
    if (session.token == CPU_NO_TOKEN)
        return false;
    while (serve(&session))
        ;
    cpu_token_give(&instance->pool, session.token);
    return true;
}

/* On the processor of the thread that woke it, a worker that spins would only keep that thread from
 * going on. */
static bool may_spin(const struct cpu_worker *worker)
{
    return worker->instance->pool.spin_ticks != 0 &&
           sched_getcpu() != atomic_load_explicit(&worker->waker, memory_order_relaxed);
}

static bool spin(const struct cpu_worker *worker)
{
    struct cpu_pool *pool = &worker->instance->pool;
    uint32_t most         = (pool->size + 1) / 2;
    bool found            = false;
    if (!may_spin(worker))
        return false;
    if (atomic_fetch_add(&pool->spinners, 1) < most) {
        uint64_t end = cpu_ticks() + pool->spin_ticks;
        do {
            for (int i = 0; i < 8; i++)
                trm_util_relax();
            found = cpu_pool_has_work(pool) && cpu_token_is_free(pool);
        } while (!found && cpu_ticks() < end);
    }
    atomic_fetch_sub(&pool->spinners, 1);
    return found;
}

static void unlink_idle(struct cpu_pool *pool, struct cpu_worker *worker)
{
    struct cpu_worker **link = &pool->idle;
    while (*link != NULL && *link != worker)
        link = &(*link)->next;
    if (*link != worker)
        return;
    *link = worker->next;
    pool->idle_count--;
}

/* Sleep until somebody has work for us. Work is made visible before the lock is taken to pick a
 * sleeper, and here the lock is held from the last look until we are in the list. */
static void doze(struct cpu_worker *worker)
{
    struct cpu_pool *pool = &worker->instance->pool;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&worker->awake, 0);
    worker->next = pool->idle;
    pool->idle   = worker;
    pool->idle_count++;
    bool busy = atomic_load(&pool->stop) || (cpu_pool_has_work(pool) && cpu_token_is_free(pool));
    if (busy)
        unlink_idle(pool, worker);
    pthread_mutex_unlock(&pool->lock);
    while (!busy && atomic_load(&worker->awake) == 0)
        trm_util_futex_wait(&worker->awake, 0, TRM_UTIL_NEVER);
}

static void *worker_main(void *argument)
{
    struct cpu_worker *worker = argument;
    struct cpu_pool *pool     = &worker->instance->pool;
    while (!atomic_load(&pool->stop)) {
        if (cpu_pool_has_work(pool) && work(worker->instance))
            continue;
        if (spin(worker))
            continue;
        cpu_clock_refine(&worker->instance->clock);
        doze(worker);
    }
    return NULL;
}

/* Threads of ours take no signals: those are the program's. */
static int start_thread(struct cpu_worker *worker)
{
    sigset_t before;
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0)
        return code;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    atomic_store(&worker->running, true); /* before it can fall asleep and be picked */
    trm_util_signals_block(&before);
    code = pthread_create(&worker->thread, &attributes, worker_main, worker);
    trm_util_signals_restore(&before);
    pthread_attr_destroy(&attributes);
    if (code != 0) {
        atomic_store(&worker->running, false);
        return code;
    }
    pthread_setname_np(worker->thread, "trireme-cpu");
    atomic_store(&worker->joinable, true);
    return 0;
}

/* Threads that will look for work soon: workers, and one that helped a moment ago where there is a worker in case it does not
 * come back. */
static uint32_t busy_locked(struct cpu_pool *pool)
{
    uint32_t awake = pool->size - pool->idle_count, deep = atomic_load(&pool->deep);
    uint32_t ready = awake > deep ? awake - deep : 0;
    if (ready == 0)
        return 0;
    return ready + (cpu_ticks() < atomic_load_explicit(&pool->helped_until, memory_order_relaxed) ? 1 : 0);
}

/* Those that sleep lie on top of those that were never started. Workers that spin will find the work by
 * themselves. */
struct cpu_worker *cpu_pool_pick_locked(struct cpu_pool *pool, uint32_t count)
{
    struct cpu_worker *picked = NULL;
    uint32_t busy             = busy_locked(pool);
    for (uint32_t i = atomic_load(&pool->spinners); i < count && pool->idle != NULL; i++) {
        struct cpu_worker *worker = pool->idle;
        if (busy++ >= pool->size)
            break;
        pool->idle = worker->next;
        pool->idle_count--;
        worker->next = picked;
        picked       = worker;
    }
    return picked;
}

/* No thread can be had now. There is one at least, and all there are work, else one of them would have
 * been picked; they look into the queue before they sleep. */
static void put_back(struct cpu_pool *pool, struct cpu_worker *worker)
{
    pthread_mutex_lock(&pool->lock);
    struct cpu_worker **end = &pool->idle;
    while (*end != NULL)
        end = &(*end)->next;
    worker->next = NULL;
    *end         = worker;
    pool->idle_count++;
    pthread_mutex_unlock(&pool->lock);
}

void cpu_pool_wake(struct cpu_worker *picked)
{
    int here = picked != NULL ? sched_getcpu() : -1;
    while (picked != NULL) {
        struct cpu_worker *worker = picked;
        picked                    = worker->next;
        atomic_store_explicit(&worker->waker, here, memory_order_relaxed);
        if (atomic_load(&worker->running)) {
            atomic_store(&worker->awake, 1);
            trm_util_futex_wake_all(&worker->awake);
        } else if (start_thread(worker) != 0) {
            put_back(&worker->instance->pool, worker);
        }
    }
}

void cpu_pool_rouse(struct cpu_pool *pool, uint32_t count)
{
    pthread_mutex_lock(&pool->lock);
    struct cpu_worker *picked = cpu_pool_pick_locked(pool, count);
    pthread_mutex_unlock(&pool->lock);
    cpu_pool_wake(picked);
}

/* ---- all of them */

int32_t cpu_pool_start(struct trm_backend_instance *instance)
{
    struct cpu_pool *pool = &instance->pool;
    int code              = 0;
    pthread_mutex_lock(&pool->lock);
    if (!pool->started) {
        struct cpu_worker *worker = pool->idle;
        atomic_store_explicit(&worker->waker, sched_getcpu(), memory_order_relaxed);
        code = start_thread(worker);
        if (code == 0) {
            pool->idle    = worker->next;
            pool->started = true;
            pool->idle_count--;
        }
    }
    pthread_mutex_unlock(&pool->lock);
    if (code != 0)
        return trm_util_fail(instance->host, TRM_ERROR_BACKEND, code,
                             "No worker thread could be started: %s.", strerror(code));
    return TRM_OK;
}

/* Threads that still start others may be among them; hence until nobody is left. Who is not joinable
 * yet and is not woken here sees `stop` before it sleeps. */
void cpu_workers_join(struct cpu_pool *pool)
{
    bool joined;
    do {
        joined = false;
        for (uint32_t i = 0; i < pool->size; i++) {
            struct cpu_worker *worker = &pool->workers[i];
            if (!atomic_exchange(&worker->joinable, false))
                continue;
            atomic_store(&worker->awake, 1);
            trm_util_futex_wake_all(&worker->awake);
            pthread_join(worker->thread, NULL);
            joined = true;
        }
    } while (joined);
}
