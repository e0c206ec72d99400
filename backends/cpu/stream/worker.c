/* cpu backend: the worker threads: what they do, how they sleep, and how they are woken.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/scheduler.h"

#include "backends/cpu/stream/job.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

#define STACK_BYTES (512u << 10)

/* ---- working */

/* Run a stream or help with a job. False when there is neither. */
static bool serve(struct cpu_session *session)
{
    struct trm_backend_stream *stream = cpu_scheduler_pop(session->scheduler);
    if (stream == NULL)
        return cpu_job_help(session);
    if (atomic_load(&session->scheduler->runnable) != 0)
        cpu_workers_wake(session->scheduler, 1);
    cpu_session_run(session, stream);
    return true;
}

/* Work until there is nothing left. False without a token. */
static bool work(struct cpu_scheduler *scheduler)
{
    struct cpu_session session = {
        .scheduler = scheduler,
        .token     = cpu_token_acquire(scheduler),
        .is_worker = true,
        .limit_ns  = UINT64_MAX,
    };
    if (session.token == CPU_NO_TOKEN)
        return false;
    while (serve(&session))
        ;
    cpu_token_release(scheduler, session.token);
    return true;
}

/* A worker on the processor of the thread that woke it must not spin: it would only keep that thread from
 * going on. */
static bool may_spin(const struct cpu_worker *worker)
{
    return worker->scheduler->spin_ticks != 0 &&
           sched_getcpu() != atomic_load_explicit(&worker->waker_processor, memory_order_relaxed);
}

/* Look for work without sleeping. At most half of the workers do so at once. */
static bool spin(const struct cpu_worker *worker)
{
    struct cpu_scheduler *scheduler = worker->scheduler;
    uint32_t most                   = (scheduler->size + 1) / 2;
    bool found                      = false;
    if (!may_spin(worker))
        return false;
    if (atomic_fetch_add(&scheduler->spinners, 1) < most) {
        uint64_t begin = cpu_ticks();
        do {
            for (int i = 0; i < 8; i++)
                trm_util_relax();
            found = cpu_scheduler_has_work(scheduler) && cpu_token_is_available(scheduler);
        } while (!found && !cpu_have_passed(scheduler->spin_ticks, begin));
    }
    atomic_fetch_sub(&scheduler->spinners, 1);
    return found;
}

/* ---- sleeping */

static void unlink_idle(struct cpu_scheduler *scheduler, struct cpu_worker *worker)
{
    struct cpu_worker **link = &scheduler->idle;
    while (*link != NULL && *link != worker)
        link = &(*link)->next;
    if (*link != worker)
        return;
    *link = worker->next;
    scheduler->idle_count--;
}

/* Sleep until another thread wakes this worker. Work becomes visible before the lock is taken to pick a
 * worker, and here the lock is held from the last look for work until the worker is in the idle list, so no
 * wake-up is lost. */
static void sleep_idle(struct cpu_worker *worker)
{
    struct cpu_scheduler *scheduler = worker->scheduler;
    pthread_mutex_lock(scheduler->lock);
    atomic_store(&worker->awake, 0);
    worker->next    = scheduler->idle;
    scheduler->idle = worker;
    scheduler->idle_count++;
    bool is_needed = atomic_load(&scheduler->is_stopping) ||
                     (cpu_scheduler_has_work(scheduler) && cpu_token_is_available(scheduler));
    if (is_needed)
        unlink_idle(scheduler, worker);
    pthread_mutex_unlock(scheduler->lock);
    while (!is_needed && atomic_load(&worker->awake) == 0)
        trm_util_futex_wait(&worker->awake, 0, TRM_UTIL_NEVER);
}

static void *worker_main(void *argument)
{
    struct cpu_worker *worker       = argument;
    struct cpu_scheduler *scheduler = worker->scheduler;
    while (!atomic_load(&scheduler->is_stopping)) {
        if (cpu_scheduler_has_work(scheduler) && work(scheduler))
            continue;
        if (spin(worker))
            continue;
        cpu_clock_refine(&scheduler->instance->clock);
        sleep_idle(worker);
    }
    return NULL;
}

/* ---- starting and waking */

/* has_thread is set first: the thread may fall asleep, and be picked, before pthread_create() returns. */
static int start_thread(struct cpu_worker *worker)
{
    sigset_t before;
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0)
        return code;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    atomic_store(&worker->has_thread, true);
    trm_util_signals_block(&before);
    code = pthread_create(&worker->thread, &attributes, worker_main, worker);
    trm_util_signals_restore(&before);
    pthread_attr_destroy(&attributes);
    if (code != 0) {
        atomic_store(&worker->has_thread, false);
        return code;
    }
    pthread_setname_np(worker->thread, "trireme-cpu");
    atomic_store(&worker->is_joinable, true);
    return 0;
}

/* How many threads will look for work soon: workers, and the last helper, but only where a worker is awake in
 * case the helper does not come back. */
static uint32_t count_ready_locked(struct cpu_scheduler *scheduler)
{
    uint32_t awake        = scheduler->size - scheduler->idle_count;
    uint32_t long_running = atomic_load(&scheduler->long_running);
    uint32_t ready        = awake > long_running ? awake - long_running : 0;
    if (ready == 0)
        return 0;
    uint64_t helper_until = atomic_load_explicit(&scheduler->helper_until, memory_order_relaxed);
    return ready + (cpu_ticks() < helper_until ? 1 : 0);
}

/* The idle list has sleeping workers first, then those without a thread. Workers that spin find the work by
 * themselves. */
struct cpu_worker *cpu_workers_pick_locked(struct cpu_scheduler *scheduler, uint32_t count)
{
    struct cpu_worker *picked = NULL;
    uint32_t ready            = count_ready_locked(scheduler);
    for (uint32_t i = atomic_load(&scheduler->spinners); i < count && scheduler->idle != NULL; i++) {
        struct cpu_worker *worker = scheduler->idle;
        if (ready++ >= scheduler->size)
            break;
        scheduler->idle = worker->next;
        scheduler->idle_count--;
        worker->next = picked;
        picked       = worker;
    }
    return picked;
}

/* The system has no thread for this worker now. There is at least one worker, and all that exist are working,
 * else one of them would have been picked; they look into the queue before they sleep. */
static void append_idle(struct cpu_scheduler *scheduler, struct cpu_worker *worker)
{
    pthread_mutex_lock(scheduler->lock);
    struct cpu_worker **end = &scheduler->idle;
    while (*end != NULL)
        end = &(*end)->next;
    worker->next = NULL;
    *end         = worker;
    scheduler->idle_count++;
    pthread_mutex_unlock(scheduler->lock);
}

void cpu_workers_wake_picked(struct cpu_worker *picked)
{
    int here = picked != NULL ? sched_getcpu() : -1;
    while (picked != NULL) {
        struct cpu_worker *worker = picked;
        picked                    = worker->next;
        atomic_store_explicit(&worker->waker_processor, here, memory_order_relaxed);
        if (atomic_load(&worker->has_thread)) {
            atomic_store(&worker->awake, 1);
            trm_util_futex_wake_all(&worker->awake);
        } else if (start_thread(worker) != 0) {
            append_idle(worker->scheduler, worker);
        }
    }
}

void cpu_workers_wake(struct cpu_scheduler *scheduler, uint32_t count)
{
    pthread_mutex_lock(scheduler->lock);
    struct cpu_worker *picked = cpu_workers_pick_locked(scheduler, count);
    pthread_mutex_unlock(scheduler->lock);
    cpu_workers_wake_picked(picked);
}

int32_t cpu_scheduler_start(struct cpu_scheduler *scheduler)
{
    int code = 0;
    pthread_mutex_lock(scheduler->lock);
    if (!scheduler->has_worker) {
        struct cpu_worker *worker = scheduler->idle;
        atomic_store_explicit(&worker->waker_processor, sched_getcpu(), memory_order_relaxed);
        code = start_thread(worker);
        if (code == 0) {
            scheduler->idle       = worker->next;
            scheduler->has_worker = true;
            scheduler->idle_count--;
        }
    }
    pthread_mutex_unlock(scheduler->lock);
    if (code != 0)
        return trm_util_fail(scheduler->instance->host, TRM_ERROR_BACKEND, code,
                             "No worker thread could be started: %s.", strerror(code));
    return TRM_OK;
}

/* Workers may still be starting others, so this repeats until no worker is joinable. A worker that is not
 * joinable yet, and hence not woken here, sees is_stopping before it sleeps. */
void cpu_workers_join(struct cpu_scheduler *scheduler)
{
    bool has_joined;
    do {
        has_joined = false;
        for (uint32_t i = 0; i < scheduler->size; i++) {
            struct cpu_worker *worker = &scheduler->workers[i];
            if (!atomic_exchange(&worker->is_joinable, false))
                continue;
            atomic_store(&worker->awake, 1);
            trm_util_futex_wake_all(&worker->awake);
            pthread_join(worker->thread, NULL);
            has_joined = true;
        }
    } while (has_joined);
}
