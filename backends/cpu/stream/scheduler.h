/* cpu backend: the scheduler of a device: its worker threads, the run queue and the tokens.
 *
 * A token is the right to run operations. There are as many tokens as workers, and every thread that runs
 * operations holds one, also a thread of the program that helps while it waits. So no more threads compute at
 * once than there are processors, and the number of the token is the worker number that kernels see.
 *
 * One lock, `lock`, which the schedulers of an instance share, so that streams of different devices can wait
 * for each other, guards the run queue, the list of idle workers, and the parked streams and waiters of all
 * streams. It is held for a few dozen instructions; running an operation does not need it. Functions that end
 * in _locked expect it to be held. Fields marked "lock" are read and written under it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_SCHEDULER_H
#define BACKENDS_CPU_STREAM_SCHEDULER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/machine/machine.h"

#define CPU_MAX_WORKERS 1024u
#define CPU_TOKEN_WORDS (CPU_MAX_WORKERS / 64)
#define CPU_NO_TOKEN UINT32_MAX
#define CPU_ACTIVITY_SLOTS 64 /* processors share them where there are more */
#define CPU_PRIORITIES 3      /* 0 is served first */

struct trm_backend_instance;
struct trm_backend_stream;
struct cpu_job;
struct cpu_scheduler;
struct cpu_waiter;

struct cpu_worker {
    struct cpu_scheduler *scheduler;
    struct cpu_worker *next;    /* in the idle list, or among the picked */
    _Atomic uint32_t awake;     /* a futex; 0: asleep, or about to be */
    atomic_bool has_thread;     /* or is about to get one */
    atomic_bool is_joinable;    /* `thread` is written */
    atomic_int waker_processor; /* where the thread ran that woke this worker last */
    pthread_t thread;
};

/* Memory for the shared variables of kernels. Belongs to the holder of the token with the same number. */
struct cpu_scratch {
    void *data;
    uint64_t size;
};

/* When a processor last ran an operation. */
struct cpu_activity {
    _Alignas(64) _Atomic uint32_t at; /* cpu_coarse_ticks() */
};

struct cpu_run_queue {
    struct trm_backend_stream *first, *last;
};

struct cpu_scheduler {
    _Alignas(64) _Atomic uint32_t runnable; /* streams in the queues; changes under the lock */
    _Atomic uint32_t open_jobs;             /* jobs with parts left to hand out */
    _Atomic uint32_t spinners;              /* workers that look for work without sleeping */
    _Atomic uint32_t long_running;          /* workers inside an operation that takes long */
    _Atomic uint64_t helper_until; /* ticks: until then the last helper counts as about to help again */
    atomic_bool is_stopping;

    _Alignas(64) _Atomic uint64_t tokens[CPU_TOKEN_WORDS]; /* a set bit is a free token */

    struct cpu_activity activity[CPU_ACTIVITY_SLOTS]; /* by processor */

    pthread_mutex_t *lock;                       /* of the instance */
    struct cpu_run_queue queues[CPU_PRIORITIES]; /* lock */
    struct cpu_worker *idle;                     /* lock; the worker that fell asleep last comes first */
    struct cpu_worker *workers;
    struct cpu_scratch *scratch;
    struct cpu_loss *loss;            /* NULL: the device is never lost */
    struct cpu_waiter *spare_waiters; /* lock; of notifications, for reuse */
    uint32_t spare_waiter_count;      /* lock */
    struct cpu_job *jobs;
    uint64_t spin_ticks;     /* how long a thread looks for work before it sleeps; 0 on one processor */
    uint32_t affinity_ticks; /* coarse: how long a stream is left to the processor that ran it last */
    uint64_t helper_ticks;   /* how long a helper is expected to come back */
    uint32_t size;           /* number of workers, tokens and job slots */
    uint32_t idle_count;     /* lock; of `idle` */
    bool has_worker;         /* lock; at least one worker has a thread */

    struct trm_backend_instance *instance;
    struct cpu_transfers transfers;
};

/* Make the scheduler of a device. Starts no thread yet.
 *
 * workers  number of workers
 * spin_us  how long a thread looks for work before it sleeps
 * Errors   OUT_OF_HOST_MEMORY
 */
int32_t cpu_scheduler_create(struct trm_backend_instance *instance, uint32_t workers, uint32_t spin_us,
                             struct cpu_scheduler **scheduler);

/* Stop and join all workers. Blocks until they have ended. NULL is fine. */
void cpu_scheduler_destroy(struct cpu_scheduler *scheduler);

/* Number of workers. */
uint32_t cpu_scheduler_size(const struct cpu_scheduler *scheduler);

void cpu_scheduler_lock_init(pthread_mutex_t *lock);

/* Start the first worker thread unless it runs already. Errors: BACKEND. */
int32_t cpu_scheduler_start(struct cpu_scheduler *scheduler);

/* ---- the run queue */

/* Put a stream, whose state is QUEUED, into the queue. The caller then wakes a worker. */
void cpu_scheduler_push_locked(struct cpu_scheduler *scheduler, struct trm_backend_stream *stream);
void cpu_scheduler_remove_locked(struct cpu_scheduler *scheduler, struct trm_backend_stream *stream);

/* Whether the processor of this thread should run a queued stream: false while the stream is left to the
 * processor that ran it last. */
bool cpu_scheduler_may_take(const struct cpu_scheduler *scheduler, const struct trm_backend_stream *stream);

/* Take the next stream to run out of the queue. It is claimed for the caller. NULL: none. */
struct trm_backend_stream *cpu_scheduler_pop(struct cpu_scheduler *scheduler);

/* Note that the processor of this thread has just run an operation. */
void cpu_scheduler_note_work(struct cpu_scheduler *scheduler);

/* Note that a thread of the program has just helped. */
void cpu_scheduler_note_help(struct cpu_scheduler *scheduler);

/* ---- tokens */

/* CPU_NO_TOKEN when all are in use. */
uint32_t cpu_token_acquire(struct cpu_scheduler *scheduler);
void cpu_token_release(struct cpu_scheduler *scheduler, uint32_t token);
bool cpu_token_is_available(struct cpu_scheduler *scheduler);

/* ---- workers; worker.c */

/* Take up to `count` workers out of the idle list, to be woken once the lock is released. Keeps at least one
 * worker awake that is not inside a long operation, but wakes no more than have a processor to themselves:
 * one worker too many only takes the processor of a thread that helps. */
struct cpu_worker *cpu_workers_pick_locked(struct cpu_scheduler *scheduler, uint32_t count);
void cpu_workers_wake_picked(struct cpu_worker *picked);

/* Pick and wake, for work that is visible already. */
void cpu_workers_wake(struct cpu_scheduler *scheduler, uint32_t count);

/* After is_stopping is set: wake all workers and wait until the last one has ended. */
void cpu_workers_join(struct cpu_scheduler *scheduler);

static inline bool cpu_scheduler_has_work(struct cpu_scheduler *scheduler)
{
    return atomic_load(&scheduler->runnable) != 0 || atomic_load(&scheduler->open_jobs) != 0;
}

#endif
