/* cpu backend: one operation in parts that several threads run.
 *
 * A counter hands out the parts. A job lives as long as a thread takes part. The thread that opened it takes
 * part, so other threads can only join while it lives. The last thread to leave finishes the operation and
 * owns the stream from then on, so that no thread waits for the parts of others. Each participant holds a
 * token and takes part in one job, so there are never more jobs than tokens.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_JOB_H
#define BACKENDS_CPU_STREAM_JOB_H

#include "backends/cpu/stream/session.h"

struct cpu_job {
    _Alignas(64) _Atomic uint32_t participants;
    atomic_bool is_used;   /* the slot holds a job */
    atomic_bool is_closed; /* all parts are handed out, or the rest is skipped */
    atomic_bool has_failed;
    struct cpu_failure *failure; /* written by the thread that set has_failed; read by the last to leave */
    struct trm_backend_stream *stream;
    const struct cpu_op *op;
    uint64_t total, part; /* bytes, rows or groups */
    _Alignas(64) _Atomic uint64_t next;
};

/* Run the units of an operation from `begin` on, in parts. The caller owns the stream and holds a token.
 * Returns true when the operation is finished and the caller still owns the stream, with its `failure` or
 * NULL; false when another thread finishes it. */
bool cpu_job_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                 uint64_t begin, uint64_t total, uint64_t part, struct cpu_failure **failure);

/* Help with any open job. False when there is none. */
bool cpu_job_help(struct cpu_session *session);

/* Run units of an operation. Returns why it failed, or NULL. */
struct cpu_failure *cpu_operation_run_part(struct cpu_session *session, const struct cpu_op *op,
                                           uint64_t begin, uint64_t end);

#endif
