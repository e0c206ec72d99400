/* cpu backend: a session, the stretch of time in which a thread runs operations. It holds a token.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_SESSION_H
#define BACKENDS_CPU_STREAM_SESSION_H

#include "backends/cpu/stream/stream.h"

/* From here on an operation is worth publishing what came before it, and passing on what others could
 * do meanwhile. */
#define CPU_COSTLY_NS 5000u

/* A quiet session runs inside of a call in which the core does not expect notifications: it leaves them
 * to the worker that it hands the stream to, and ends soon. */
struct cpu_session {
    struct trm_backend_instance *instance;
    uint32_t token;
    bool quiet;        /* inside of an enqueueing call or of abandon(): see above */
    uint64_t brief_ns; /* it ends when it has run for so long, but tells whoever is due; 0: no such end */
    uint64_t spent_ns; /* what it has run, by its likely cost */
    bool worker;       /* of the pool; else a thread that helps */
    struct trm_backend_stream *goal; /* helper: what it waits for; may be NULL */
    uint64_t goal_value;             /* …and the number */
    uint64_t most_ns;                /* operations dearer than this are left to the workers */
    bool refused;                    /* it met one */
    uint64_t turns;                  /* operations since somebody else had one */
    uint32_t unpublished;            /* finished operations that nobody was told of */
    struct trm_backend_stream *ready_first, *ready_last; /* claimed streams to run next */
};

/* Run a claimed stream and what becomes ready through it, until nothing is left that this session may
 * run or its goal is reached. Everything is let go of, or handed over, when it returns. */
void cpu_session_run(struct cpu_session *session, struct trm_backend_stream *stream);

/* Run what is short of an idle stream that is to be submitted, if there is a token: waking somebody for it would take
 * longer. */
void cpu_session_run_brief(struct trm_backend_stream *stream);

/* The same for a stream that the caller has claimed, with his token, which is given back. */
void cpu_session_run_claimed(struct trm_backend_stream *stream, uint32_t token);

/* Owner: make visible what has finished, and tell those who are due. */
void cpu_session_publish(struct cpu_session *session, struct trm_backend_stream *stream);

/* Owner: tell those who are due. What a quiet session leaves out is told by the worker that it hands
 * the stream to. */
void cpu_session_tell(struct cpu_session *session, struct trm_backend_stream *stream);

/* Run an operation. False when the stream is no longer the caller's: parked, or finished by another
 * thread. `failure` is NULL when all went well. */
bool cpu_op_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                struct cpu_failure **failure);

/* Add a claimed stream to those to be run next. */
void cpu_session_add(struct cpu_session *session, struct trm_backend_stream *stream);

/* Owner, after a split operation: account for it, and go on with the stream. */
void cpu_session_resume(struct cpu_session *session, struct trm_backend_stream *stream,
                        struct cpu_failure *failure);

/* Owner: make the stream fail, skip what is in it, tell everybody. Takes over the reference to
 * `failure`. */
void cpu_session_fail(struct cpu_session *session, struct trm_backend_stream *stream,
                      struct cpu_failure *failure);

#endif
