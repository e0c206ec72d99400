/* cuda backend: struct trm_backend_stream.
 *
 * A stream is a CUstream that does not wait for the legacy stream. Operations are numbered by the core:
 *
 *     completed <= submitted <= the last number that was enqueued
 *
 * What lies between `submitted` and the last number is deferred on the host (deferred_submit.h).
 *
 * Failures: a deferred operation that the driver refuses, abandon(), or the loss of the device. A stream
 * that waits for a failed stream fails too. A failed stream submits nothing more and refuses to enqueue;
 * when all that was submitted has ended, it answers with the failure (stream_failure.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_STREAM_OBJECT_H
#define CUDA_STREAM_STREAM_OBJECT_H

#include "backends/cuda/driver/driver.h"

struct cuda_deferred;
struct cuda_faults;
struct cuda_mark;
struct cuda_replays;

/* The marks of a stream: a ring in order of value from `first` on. Its capacity is a power of two. */
struct cuda_marks {
    /* All below. Nothing is called under it, and it may be taken under any other lock. */
    struct trm_util_lock lock;
    struct cuda_mark **ring;
    uint32_t first, count, capacity;
    struct cuda_mark *spare;
};

/* A notification that is due when a number is complete. */
struct cuda_notification {
    struct cuda_notification *next;
    uint64_t value;
    trm_notify_fn notify;
    void *user;
    bool is_listed;   /* in stream->notifications */
    bool is_on_stack; /* the memory belongs to the thread that waits: it is not re-used */
};

/* A watcher thread that waits for a number of the stream; on its stack. */
struct cuda_watch {
    struct cuda_watch *next;
    uint64_t value;
};

/* Bits of stream->submit_state. */
#define CUDA_STREAM_DEFERS 1u  /* operations are deferred: later ones go behind them */
#define CUDA_STREAM_REFUSES 2u /* the stream has failed: enqueueing is refused */

/* follow.c: the devices that the stream has waited for, by their bits. Written under the lock. */
struct cuda_follow {
    struct trm_util_lock lock;
    _Atomic uint64_t devices;
    uint64_t first, last; /* operations: the first and the last wait that counts */
};

struct trm_backend_stream {
    struct trm_backend_instance *instance;
    struct trm_backend_device *device; /* not valid once the stream is destroyed, though it has references */
    struct trm_backend_stream *next, *previous; /* device->streams */
    CUstream handle;
    bool borrowed; /* the handle is the application's */
    int32_t priority;

    /* 0: what is enqueued is submitted at once. Written under instance->defer_lock. */
    _Atomic uint32_t submit_state;
    _Atomic uint64_t submitted;    /* the highest number that the driver has */
    _Atomic uint64_t completed;    /* the highest number known to be complete */
    _Atomic uint64_t last_wait;    /* the last wait for another stream that was submitted at once */
    _Atomic uint64_t gates_opened; /* gates up to here are open */
    /* TRM_OK or the status of the first failure. Written under instance->defer_lock, after the next two. */
    _Atomic int32_t failure;
    int64_t failure_native;
    char failure_sentence[512];
    /* Name of the last kernel launched, for the report of a loss. Belongs to the kernel's module. */
    _Atomic(const char *) running;

    struct cuda_faults *faults; /* fault.c; NULL without kernel.bounds */
    struct cuda_follow follow;
    /* A kernel reached outside of a variable, or a device that the stream follows is lost: no point that was
     * not known to be complete is reported as complete. Set before `failure`. */
    _Atomic bool has_fault;

    struct cuda_marks marks;

    /* Owned by the thread that submits: the one that enqueues, or the one that set `flushing`. */
    struct cuda_mark *prepared;   /* for the next mark */
    struct cuda_replays *replays; /* replay.c; created at the first launch that may use one */
    int64_t job_failure_native;   /* why the driver refused the last job; valid during the call */
    char job_failure[512];

    /* deferred_submit.c; under instance->defer_lock */
    struct cuda_deferred *deferred, *last_deferred, *spare_deferred;
    uint32_t deferred_count, spare_deferred_count;
    _Atomic bool flushing; /* a thread submits deferred operations */
    /* enum cuda_flush: how other threads asked for a flush meanwhile; 0: they did not. */
    int32_t flush_again;
    struct trm_backend_stream *next_deferring; /* instance->deferring */

    /* Keep the memory of the struct: one of the core's, one for each deferred wait of another stream. */
    _Atomic uint32_t references;

    pthread_mutex_t lock;      /* all below */
    pthread_cond_t progressed; /* `submitted` has grown, the stream has failed, or `pins` became 0 */
    uint32_t sleepers;         /* threads on `progressed` */
    uint32_t pins;             /* uses by the backend itself; stream_destroy() waits until there are none */
    bool destroyed;
    struct cuda_notification *notifications, *spare_notifications; /* by value */
    struct cuda_watch *watches;
    bool notifying; /* a thread delivers the notifications that are due */

    /* watcher.c; under the lock of device->watchers */
    bool queued, wants_flush;
    struct trm_backend_stream *next_queued;
};

static inline uint64_t cuda_stream_submitted(const struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->submitted, memory_order_acquire);
}

static inline void cuda_stream_set_submitted(struct trm_backend_stream *stream, uint64_t value)
{
    atomic_store_explicit(&stream->submitted, value, memory_order_release);
}

static inline uint64_t cuda_stream_completed(const struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire);
}

/* Whether what is enqueued goes to the driver at once. */
static inline bool cuda_stream_is_direct(const struct trm_backend_stream *stream)
{
    return TRM_UTIL_LIKELY(atomic_load_explicit(&stream->submit_state, memory_order_acquire) == 0);
}

static inline bool cuda_stream_is_deferring(const struct trm_backend_stream *stream)
{
    return (atomic_load_explicit(&stream->submit_state, memory_order_acquire) & CUDA_STREAM_DEFERS) != 0;
}

/* Pin the stream: it is not destroyed until it is unpinned. The caller knows that it exists. */
void cuda_stream_pin(struct trm_backend_stream *stream);
void cuda_stream_unpin(struct trm_backend_stream *stream);

static inline void cuda_stream_retain(struct trm_backend_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
}
void cuda_stream_release(struct trm_backend_stream *stream);

/* Initialise a condition whose timed waits use CLOCK_MONOTONIC. False: there is no memory. */
bool cuda_condition_init(pthread_cond_t *condition);

#endif
