/* cpu backend: the worker threads of an instance, the queue of streams that they serve, and the tokens.
 *
 * A token is the right to run operations. There are as many as workers, and whoever runs operations
 * holds one, also a thread of the program that helps while it waits: so no more threads compute at once
 * than there are processors, and the token's number is the worker number that kernels see.
 *
 * One lock guards the run queue, the list of idle workers, and all parking and watching of streams. It
 * is held for a few dozen instructions; running operations never needs it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_SCHEDULER_H
#define BACKENDS_CPU_STREAM_SCHEDULER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CPU_MAX_WORKERS 1024u
#define CPU_TOKEN_WORDS (CPU_MAX_WORKERS / 64)
#define CPU_NO_TOKEN UINT32_MAX
#define CPU_PLACES 64    /* processors share them where there are more */
#define CPU_PRIORITIES 3 /* 0 is served first */

struct trm_backend_instance;
struct trm_backend_stream;
struct cpu_job;

struct cpu_worker {
    struct trm_backend_instance *instance;
    struct cpu_worker *next; /* idle, or to be woken */
    _Atomic uint32_t awake;  /* 0: asleep on this word, or about to be */
    atomic_bool running;     /* it has a thread, or is about to */
    atomic_bool joinable;    /* `thread` is written */
    atomic_int waker;        /* the processor of whoever woke it last */
    pthread_t thread;
};

/* Memory for a kernel's shared variables; belongs to whoever holds the token of the same number. */
struct cpu_scratch {
    void *data;
    uint64_t size;
};

/* When something was last run on a processor. */
struct cpu_place {
    _Alignas(64) _Atomic uint32_t at; /* cpu_coarse_ticks() */
};

struct cpu_run_queue {
    struct trm_backend_stream *first, *last;
};

struct cpu_pool {
    _Alignas(64) _Atomic uint32_t runnable; /* streams in the queues; changes under the lock */
    _Atomic uint32_t open_jobs;             /* jobs that still have parts to give away */
    _Atomic uint32_t spinners;              /* workers that look for work without sleeping */
    _Atomic uint32_t deep;                  /* workers in an operation that will take long */
    _Atomic uint64_t
        helped_until; /* ticks: so long a thread that helped counts as one that will help again */
    atomic_bool stop;

    _Alignas(64) _Atomic uint64_t tokens[CPU_TOKEN_WORDS]; /* a bit is set while the token is free */

    struct cpu_place worked[CPU_PLACES]; /* by processor */

    pthread_mutex_t lock;
    struct cpu_run_queue queues[CPU_PRIORITIES]; /* lock */
    struct cpu_worker *idle;                     /* lock; the one that fell asleep last is woken first */
    struct cpu_worker *workers;
    struct cpu_scratch *scratch;
    struct cpu_watch *spare_watches; /* lock; of notifications, to be used again */
    uint32_t spare_watch_count;      /* lock */
    struct cpu_job *jobs;
    uint64_t spin_ticks;   /* how long a thread looks for work before it sleeps; 0 on one processor */
    uint32_t leave_ticks;  /* coarse: how long a stream is left to the processor that ran it last */
    uint64_t around_ticks; /* how long a thread that helped is expected back */
    uint32_t size;         /* workers, tokens, job slots */
    uint32_t idle_count;   /* lock; of `idle` */
    bool started;          /* lock; there is a worker with a thread */
};

/* workers: 0 takes as many as this process may use. spin_us: how long a thread looks for work before it sleeps. No thread is
 * started yet. */
int32_t cpu_pool_init(struct trm_backend_instance *instance, uint32_t workers, uint32_t spin_us);
void cpu_pool_fini(struct trm_backend_instance *instance);

/* Have at least one worker thread. Errors: BACKEND. */
int32_t cpu_pool_start(struct trm_backend_instance *instance);

/* Once `stop` is set: wait until the last worker has ended. */
void cpu_workers_join(struct cpu_pool *pool);

/* Put a stream in the queue: its state is CPU_QUEUED. Under the lock; cpu_pool_rouse() afterwards. */
void cpu_pool_push_locked(struct cpu_pool *pool, struct trm_backend_stream *stream);
void cpu_pool_remove_locked(struct cpu_pool *pool, struct trm_backend_stream *stream);

/* Is a queued stream for the processor of this thread? */
bool cpu_pool_may_take(const struct cpu_pool *pool, const struct trm_backend_stream *stream);

/* This thread has run something. */
void cpu_pool_worked(struct cpu_pool *pool);

/* The next stream to serve, claimed for the caller; NULL when there is none. */
struct trm_backend_stream *cpu_pool_pop(struct cpu_pool *pool);

/* Take workers out of the idle list, to be woken once the lock is released. There is always one that is awake and not deep in
 * an operation; but no more than have a processor to themselves: a worker too many only takes the processor of a thread
 * that helps, or fills the queue. */
struct cpu_worker *cpu_pool_pick_locked(struct cpu_pool *pool, uint32_t count);
void cpu_pool_wake(struct cpu_worker *picked);

/* Pick and wake: for work that is visible already. */
void cpu_pool_rouse(struct cpu_pool *pool, uint32_t count);

/* A thread of the program has just helped. */
void cpu_pool_helped(struct cpu_pool *pool);

uint32_t cpu_token_take(struct cpu_pool *pool);
void cpu_token_give(struct cpu_pool *pool, uint32_t token);
bool cpu_token_is_free(struct cpu_pool *pool);

static inline bool cpu_pool_has_work(struct cpu_pool *pool)
{
    return atomic_load(&pool->runnable) != 0 || atomic_load(&pool->open_jobs) != 0;
}

#endif
