/* cpu backend: a stream, and who may do what with it.
 *
 * A stream has no thread. Whoever claims it runs its operations: a worker, or a thread that waits.
 * `state` says how it stands:
 *
 *     IDLE     nobody works on it; all that was submitted has been run
 *     QUEUED   in the run queue (or being taken from it)
 *     RUNNING  claimed: one session owns `reader`, `done` and `owed`; a split operation hands the
 *              claim to its last part
 *     DIRTY    claimed, and more was submitted since: the owner looks again before it lets go
 *     PARKED   its next operation is a WAIT or a GATE that is not open; only changed under the
 *              pool's lock
 *
 * Submitting is a read-modify-write of `state` after `tail` was stored, and letting go is one
 * before `tail` is read again, so that none is lost.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_STREAM_H
#define BACKENDS_CPU_STREAM_STREAM_H

#include "backends/cpu/device/device.h"
#include "backends/cpu/stream/notify.h"
#include "backends/cpu/stream/ring.h"

enum cpu_stream_state {
    CPU_IDLE,
    CPU_QUEUED,
    CPU_RUNNING,
    CPU_DIRTY,
    CPU_PARKED,
};

/* Why a stream failed. Shared by the streams that it spread to. */
struct cpu_failure {
    _Atomic uint32_t references;
    int32_t status;
    int64_t native_code;
    uint64_t size; /* bytes allocated; 0: static, never released */
    const char *sentence;
};

struct trm_backend_stream {
    /* The writer's line. */
    struct cpu_ring_writer writer;
    _Atomic uint64_t tail; /* slots below this position are written */
    uint32_t batch_slots;  /* slots written since the last submit, and what is in them may cost */
    uint32_t batch_ns;

    /* The line of whoever has claimed the stream. */
    _Alignas(64) struct cpu_ring_reader reader;
    uint64_t done;                         /* number of the last operation that finished */
    _Atomic uint64_t completed;            /* the same, published */
    _Atomic uint64_t head;                 /* slots below this position may be written again */
    _Atomic(struct cpu_failure *) failure; /* set once, by the owner, when nothing runs any more */
    _Atomic uint64_t watched;              /* the lowest number that anybody watches; UINT64_MAX */

    _Alignas(64) _Atomic uint32_t state; /* enum cpu_stream_state */
    _Atomic int32_t abandoned;           /* the status that it was given up with */
    _Atomic uint32_t references;         /* one of the core's, one for each WAIT that names it */
    /* owner: all up to `tail` was submitted and must be run by somebody */
    bool owed;
    bool linked;                /* lock: in the run queue */
    uint8_t priority;           /* 0 is served first */
    uint8_t passed;             /* lock: times that others behind it in the queue were taken first */
    _Atomic uint32_t queued_at; /* cpu_coarse_ticks() */
    _Atomic uint16_t processor; /* 1 + that of whoever ran it last, whose cache has its data; 0: nobody yet */
    struct trm_backend_instance *instance;
    struct trm_backend_stream *run_next, *run_previous; /* lock */
    struct trm_backend_stream *ready_next;              /* owner: in a session's list */
    struct cpu_op *inner; /* owner: the next operation of the graph that it is in; NULL: in none */
    struct trm_backend_stream *blocked_on; /* lock: while PARKED; NULL at a gate */

    /* lock: how it watches blocked_on; park.value also is the number of the gate */
    struct cpu_watch park;
    struct cpu_watch *watch_first, *watch_last; /* lock: sorted by value */
    uint64_t gates_open;                        /* lock */

    struct cpu_op first_slots[CPU_FIRST_SLOTS];
};

_Static_assert(sizeof(struct trm_backend_stream) <= 576, "an idle stream is small");

/* Make the stream's work run by somebody. Any thread that holds the stream alive. */
void cpu_stream_submit(struct trm_backend_stream *stream);

/* Become the owner of an idle or queued stream. */
bool cpu_stream_claim(struct trm_backend_stream *stream);

/* The stream itself, or the one that it finally waits for, claimed; NULL when nobody can help,
 * in which case it is submitted. What is claimed counts as submitted, since a parked stream may
 * need all of it. Under the pool's lock. */
struct trm_backend_stream *cpu_stream_claim_root_locked(struct trm_backend_stream *stream);

/* Owner: let go. False when more was submitted meanwhile: then the caller is still the owner. */
bool cpu_stream_let_go(struct trm_backend_stream *stream);

/* Owner: give it to the workers. */
void cpu_stream_hand_over(struct trm_backend_stream *stream);

/* Owner: the same; or to a thread that sleeps until the stream gets somewhere, and helps. */
void cpu_stream_hand_back(struct trm_backend_stream *stream);

void cpu_stream_retain(struct trm_backend_stream *stream);
void cpu_stream_release(struct trm_backend_stream *stream);

/* TRM_OK, or explain the stream's failure and return its status. */
int32_t cpu_stream_report(struct trm_backend_stream *stream);

static inline struct cpu_failure *cpu_stream_failure(struct trm_backend_stream *stream)
{
    return atomic_load(&stream->failure);
}

static inline bool cpu_stream_reached(struct trm_backend_stream *stream, uint64_t value)
{
    return atomic_load(&stream->completed) >= value;
}

/* A failure with a sentence of its own; without memory for it a static one, so that this never
 * fails. */
struct cpu_failure *cpu_failure_make(struct trm_backend_instance *instance, int32_t status,
                                     int64_t native_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
struct cpu_failure *cpu_failure_share(struct cpu_failure *failure);
void cpu_failure_release(struct trm_backend_instance *instance, struct cpu_failure *failure);

/* Owner: release what an operation holds when it has run or is skipped. */
void cpu_op_release(struct trm_backend_stream *stream, const struct cpu_op *op);

/* The enqueueing slots of the table; enqueue.c. */
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

/* What the operations are like, wherever they are kept: `op` without value, slots and cost; what copies and fills are
 * likely to take comes out. */
uint32_t cpu_encode_copy(struct cpu_op *op, const struct trm_copy_desc *desc);
uint32_t cpu_encode_copy_2d(struct cpu_op *op, const struct trm_copy_2d_desc *desc);
uint32_t cpu_encode_fill(struct cpu_op *op, const struct trm_fill_desc *desc);
uint32_t cpu_encode_stamp(struct cpu_op *op, struct trm_backend_stamp *stamp);

/* A launch, whose arguments are written into a block of the kernel's block_size. */
uint32_t cpu_encode_launch(struct cpu_op *op, const struct trm_launch_desc *desc, uint8_t *block);

/* The waiting slots; wait.c. */
int32_t cpu_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);
int32_t cpu_wait_any(struct trm_backend_stream *const *streams, const uint64_t *values, uint32_t count,
                     uint64_t timeout_ns, uint32_t *which);
int32_t cpu_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify, void *user);

#endif
