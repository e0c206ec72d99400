/* cpu backend: a session, the time during which a thread runs operations. It holds a token.
 *
 * "Owner" means the thread that has claimed the stream: see stream.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_SESSION_H
#define BACKENDS_CPU_STREAM_SESSION_H

#include "backends/cpu/stream/stream.h"

/* Before an operation of this cost or more, a session publishes what is finished, and passes on what other
 * threads could run meanwhile. */
#define CPU_COSTLY_NS 5000u

struct cpu_session {
    struct cpu_scheduler *scheduler;
    uint32_t token;

    /* Inside of an enqueueing call or of abandon(): it sends no notifications, but leaves them to the worker
     * that gets the stream next, and ends soon. */
    bool is_quiet;

    bool is_worker;     /* else a thread of the program that helps */
    bool met_costly;    /* it came to an operation costlier than limit_ns */
    bool is_holding;    /* it has just held the stream that it ran */
    uint64_t budget_ns; /* it ends after running for so long, but sends notifications; 0: no limit */
    uint64_t spent_ns;  /* the likely cost of what it has run */
    uint64_t limit_ns;  /* operations costlier than this are left to the workers */
    struct trm_backend_stream *goal;                     /* the stream that a helper waits for; may be NULL */
    uint64_t goal_value;                                 /* the number that it waits for */
    uint64_t turns;                                      /* operations since another stream had its turn */
    uint32_t unpublished;                                /* operations that are finished but not published */
    struct trm_backend_stream *ready_first, *ready_last; /* claimed streams to run next, some held */
};

/* Run a claimed stream and the streams that become ready through it, until nothing is left that this session
 * may run or its goal is reached. When it returns, every stream is unclaimed, parked or queued. */
void cpu_session_run(struct cpu_session *session, struct trm_backend_stream *stream);

/* Run the short operations of an idle stream that is to be submitted, if a token is free: waking a worker for
 * them would take longer. */
void cpu_session_run_short(struct trm_backend_stream *stream);

/* The same for a stream that the caller has claimed, with the caller's token, which is released. */
void cpu_session_run_claimed(struct trm_backend_stream *stream, uint32_t token);

/* Owner: publish what has finished, and notify the waiters that are due. */
void cpu_session_publish(struct cpu_session *session, struct trm_backend_stream *stream);

/* The same without notifying. True: waiters are due. */
bool cpu_session_publish_alone(struct trm_backend_stream *stream);

/* Owner: notify the waiters that are due. A quiet session leaves notifications to the worker that gets the
 * stream next. */
void cpu_session_notify(struct cpu_session *session, struct trm_backend_stream *stream);

/* Run an operation. Returns true when it is finished, with its `failure` or NULL; false when the caller no
 * longer owns the stream: it is parked, or another thread finishes the operation. */
bool cpu_operation_run(struct cpu_session *session, struct trm_backend_stream *stream,
                       const struct cpu_op *op, struct cpu_failure **failure);

/* Add a claimed stream to those that run next. */
void cpu_session_add_ready(struct cpu_session *session, struct trm_backend_stream *stream);

/* Owner: park a stream whose next operation waits for `value` of `other`. False when it need not wait any
 * more, or is abandoned. `root` gets the result of cpu_stream_claim_root_locked(); NULL: not wanted. */
bool cpu_session_park(struct cpu_session *session, struct trm_backend_stream *stream,
                      struct trm_backend_stream *other, uint64_t value, struct trm_backend_stream **root);

/* Owner, after an operation in parts: account for it, and go on with the stream. */
void cpu_session_resume(struct cpu_session *session, struct trm_backend_stream *stream,
                        struct cpu_failure *failure);

/* Owner: make the stream fail, skip its operations, notify all waiters. Takes over the reference to
 * `failure`. */
void cpu_session_fail(struct cpu_session *session, struct trm_backend_stream *stream,
                      struct cpu_failure *failure);

#endif
