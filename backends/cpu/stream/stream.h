/* cpu backend: a stream, and which thread may do what with it.
 *
 *     stream.c          creating and destroying streams, changes of their state, small slots of the table
 *     enqueue.c         writing operations into a stream's ring; ring.c the ring
 *     session.c         running a stream's operations; operation.c one operation; job.c one in parts;
 *                       launch.c a kernel; graph.c graphs; profile.c time stamps
 *     wait.c            waiting for streams; notify.c the lists of waiters
 *     scheduler.c       the run queue and tokens; worker.c the worker threads
 *     stream_failure.c  why streams failed
 *
 * A stream has no thread. The thread that claims it runs its operations and is called its owner: a worker, or
 * a thread that waits. `state` is one of:
 *
 *     IDLE     not claimed; everything that was submitted has run
 *     QUEUED   in the run queue, or being taken from it
 *     RUNNING  claimed: one session owns `reader`, `done` and `must_run`; an operation in parts passes
 *              the claim to the thread that finishes its last part. A session may hold several claimed
 *              streams, of which it runs one: the others wait for each other or for their turn
 *     DIRTY    claimed, and more was submitted since: the owner looks again before it gives up the claim
 *     PARKED   the next operation is a WAIT or a GATE that is not open; changes only under the lock
 *
 * Submitting is a read-modify-write of `state` after `tail` was stored. Giving up the claim is one before
 * `tail` is read again. So no submission is lost.
 *
 * The only lock is the scheduler's (scheduler.h). Fields marked "lock" are read and written under it, those
 * marked "owner" by the owner.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_STREAM_H
#define BACKENDS_CPU_STREAM_STREAM_H

#include "backends/cpu/device/device.h"
#include "backends/cpu/stream/notify.h"
#include "backends/cpu/stream/ring.h"
#include "backends/cpu/stream/scheduler.h"

enum cpu_stream_state {
    CPU_STREAM_IDLE,
    CPU_STREAM_QUEUED,
    CPU_STREAM_RUNNING,
    CPU_STREAM_DIRTY,
    CPU_STREAM_PARKED,
};

/* Why a stream failed. Shared by the streams that the failure spreads to. */
struct cpu_failure {
    _Atomic uint32_t references;
    int32_t status;
    int64_t native_code;
    uint64_t size; /* bytes allocated; 0: static, never released */
    const char *sentence;
};

struct trm_backend_stream {
    /* The writer's cache line. */
    struct cpu_ring_writer writer;
    _Atomic uint64_t tail;               /* slots below this position are written */
    uint32_t batch_slots;                /* slots written since the last submit */
    uint32_t batch_ns;                   /* the likely cost of the operations in them */
    struct trm_backend_stream *spare_of; /* the stream that the last WAIT names */

    /* The owner's cache line. */
    _Alignas(64) struct cpu_ring_reader reader;
    uint64_t done;                         /* number of the last operation that finished */
    _Atomic uint64_t completed;            /* the same, published */
    _Atomic uint64_t head;                 /* slots below this position may be written again */
    _Atomic(struct cpu_failure *) failure; /* set once, by the owner, when nothing runs any more */
    _Atomic uint64_t awaited;              /* the lowest number that has a waiter; UINT64_MAX: none */

    _Alignas(64) _Atomic uint32_t state; /* enum cpu_stream_state */
    _Atomic int32_t abandoned;           /* the status that abandon() was called with; TRM_OK */
    _Atomic uint32_t references;         /* one of the core, one of each WAIT that names the stream, and those
                                            that other streams have in `spare` and `spent` */
    bool must_run;                       /* owner: everything up to `tail` was submitted */
    bool is_held;                        /* owner: waits, not parked, for another stream of its session */
    bool is_queued;                      /* lock: in the run queue */
    uint8_t priority;                    /* 0 is served first */
    _Atomic uint32_t queued_at;          /* cpu_coarse_ticks() */
    _Atomic uint16_t last_processor;     /* cpu_current_processor() of the last owner; 0: none yet */
    struct cpu_scheduler *scheduler;
    struct trm_backend_stream *run_next, *run_previous; /* lock */
    struct trm_backend_stream *ready_next;              /* owner: in a session's list */
    struct cpu_op *graph_op;               /* owner: the next operation of the graph that it is in; or NULL */
    struct trm_backend_stream *blocked_on; /* lock: while PARKED; NULL at a gate */

    /* lock: its waiter in the list of blocked_on. At a gate, park.value is the number of the gate. */
    struct cpu_waiter park;
    struct cpu_waiter *waiter_first, *waiter_last; /* lock: sorted by value */
    uint64_t open_gate;                            /* lock: gates up to this number are open */

    uint64_t announced;                  /* owner: `done` when `awaited` was last read behind a fence */
    struct trm_backend_stream *spent_of; /* owner: the stream that the last WAIT which has run names */
    uint32_t spent;                      /* owner: references of it, to be dropped */

    struct cpu_op first_slots[CPU_FIRST_SLOTS];
};

_Static_assert(sizeof(struct trm_backend_stream) <= 576, "an idle stream is small");

/* ---- state */

/* Submit what is enqueued, so that a worker or a waiting thread runs it. Any thread that keeps the stream
 * alive. */
void cpu_stream_submit(struct trm_backend_stream *stream);

/* Become the owner of an idle or queued stream. False when it is in another state. */
bool cpu_stream_claim(struct trm_backend_stream *stream);

/* Claim the stream, or the stream that it finally waits for. NULL when no thread can help; the stream is
 * submitted then. The claimed stream counts as submitted, since a parked stream may need all of it. */
struct trm_backend_stream *cpu_stream_claim_root_locked(struct trm_backend_stream *stream);

/* Owner: give up the claim. False when more was submitted meanwhile: the caller is still the owner then. */
bool cpu_stream_unclaim(struct trm_backend_stream *stream);

/* Owner: give up the claim and put the stream into the run queue. The second function wakes a helper that
 * waits for the stream, if there is one, instead of a worker. */
void cpu_stream_requeue(struct trm_backend_stream *stream);
void cpu_stream_requeue_for_waiter(struct trm_backend_stream *stream);

/* So many references a stream takes or drops with one atomic operation: it mostly waits for the same one
 * again. */
#define CPU_REFERENCES_AT_ONCE 64u

void cpu_stream_take_references(struct trm_backend_stream *stream, struct trm_backend_stream *other);
void cpu_stream_drop_references(struct trm_backend_stream *stream);

/* Writer: the reference that a WAIT for `other` has. */
static inline void cpu_stream_retain_other(struct trm_backend_stream *stream,
                                           struct trm_backend_stream *other)
{
    if (stream->spare_of != other || stream->writer.spare == 0)
        cpu_stream_take_references(stream, other);
    stream->writer.spare--;
}

/* Owner: the WAIT has run. */
static inline void cpu_stream_release_other(struct trm_backend_stream *stream,
                                            struct trm_backend_stream *other)
{
    if (stream->spent_of != other || stream->spent == CPU_REFERENCES_AT_ONCE)
        cpu_stream_drop_references(stream);
    stream->spent_of = other;
    stream->spent++;
}

static inline bool cpu_stream_has_reached(struct trm_backend_stream *stream, uint64_t value)
{
    return atomic_load(&stream->completed) >= value;
}

/* An owner that sees this under the lock before it parks the stream, or else abandon(), which takes the lock
 * after it has set the mark, fails the stream. */
static inline bool cpu_stream_is_abandoned(struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->abandoned, memory_order_relaxed) != TRM_OK;
}

/* ---- failures; stream_failure.c */

/* NULL: the stream has not failed. */
static inline struct cpu_failure *cpu_stream_failure(struct trm_backend_stream *stream)
{
    return atomic_load(&stream->failure);
}

/* Explain the stream's failure in the calling thread and return its status; TRM_OK when there is none. */
int32_t cpu_stream_report_failure(struct trm_backend_stream *stream);

/* A failure with a sentence, printf-like. Never NULL: without memory it has a static, shorter sentence. */
struct cpu_failure *cpu_failure_create(struct trm_backend_instance *instance, int32_t status,
                                       int64_t native_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
struct cpu_failure *cpu_failure_retain(struct cpu_failure *failure);
void cpu_failure_release(struct trm_backend_instance *instance, struct cpu_failure *failure);

/* ---- enqueueing; enqueue.c */

int32_t cpu_enqueue_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
int32_t cpu_enqueue_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_copy_2d_desc *desc);
int32_t cpu_enqueue_fill(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc);
int32_t cpu_enqueue_launch(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_launch_desc *desc);
int32_t cpu_enqueue_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                         uint64_t other_value);
int32_t cpu_enqueue_gate(struct trm_backend_stream *stream, uint64_t value);
int32_t cpu_enqueue_stamp(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stamp *stamp);
int32_t cpu_enqueue_graph(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_graph *graph);

/* Write an operation to `op`, in a ring or in a graph, except its value, slots and cost. Returns its likely
 * cost in nanoseconds. */
uint32_t cpu_encode_copy(struct cpu_op *op, const struct trm_copy_desc *desc);
uint32_t cpu_encode_copy_2d(struct cpu_op *op, const struct trm_copy_2d_desc *desc);
uint32_t cpu_encode_fill(struct cpu_op *op, const struct trm_fill_desc *desc);
uint32_t cpu_encode_stamp(struct cpu_op *op, struct trm_backend_stamp *stamp);

/* The same for a launch. Writes its arguments to `block`, which has the kernel's block_size. */
uint32_t cpu_encode_launch(struct cpu_op *op, const struct trm_launch_desc *desc, uint8_t *block);

/* Owner: release what an operation holds, when it has run or is skipped. */
void cpu_operation_release(struct trm_backend_stream *stream, const struct cpu_op *op);

/* ---- waiting; wait.c */

int32_t cpu_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);
int32_t cpu_stream_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                            uint64_t timeout_ns, uint32_t *which);
int32_t cpu_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                          void *user);

/* ---- tables */

extern const struct trm_stream_ops cpu_stream_ops;
extern const struct trm_graph_ops cpu_graph_ops;
extern const struct trm_profile_ops cpu_profile_ops;

#endif
