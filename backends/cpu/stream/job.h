/* cpu backend: one operation in parts that several threads run.
 *
 * Parts are handed out by a counter. A job lives as long as somebody takes part; who opened it takes
 * part, so joining is only possible while it lives. The last to leave finishes the operation and owns
 * its stream from then on, so that nobody waits for the parts of others. Each participant holds a token
 * and takes part in one job, hence there are never more jobs than tokens.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_JOB_H
#define BACKENDS_CPU_STREAM_JOB_H

#include "backends/cpu/stream/session.h"

struct cpu_job {
    _Alignas(64) _Atomic uint32_t participants;
    atomic_bool taken;  /* the slot is in use */
    atomic_bool closed; /* all parts are given away, or the rest is skipped */
    atomic_bool failed;
    struct cpu_failure *failure; /* of whoever set `failed`; read by the last to leave */
    struct trm_backend_stream *stream;
    const struct cpu_op *op;
    uint64_t total, part; /* bytes, rows or groups */
    _Alignas(64) _Atomic uint64_t next;
};

/* Run units from `begin` on, in parts. The caller owns the stream and holds a token. True when the
 * operation is finished and the stream still the caller's; false when another thread finishes it.
 * `failure` is NULL when all went well. */
bool cpu_job_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                 uint64_t begin, uint64_t total, uint64_t part, struct cpu_failure **failure);

/* Help with some open job. False when there is none. */
bool cpu_job_help(struct cpu_session *session);

/* Run units of an operation; NULL, or why it failed. */
struct cpu_failure *cpu_op_run_part(struct cpu_session *session, const struct cpu_op *op, uint64_t begin,
                                    uint64_t end);

#endif
