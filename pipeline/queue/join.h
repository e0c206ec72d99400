/* Joins: shared ports that kernels of several devices write. Each device has a copy of the buffer; a join
 * combines the copies of all devices and gives each device the result (trm_pipeline_desc.joins).
 *
 * A join has one stream on each device. It waits there for the last token of the device, and the next
 * token of the device waits for it: the engines process tokens in order where kernels write a shared port.
 *
 * A round is the tokens between two joins. The first token of a round sets the copies of all devices but
 * the first to zero where the operation is SUM, since the copies then are parts of one sum.
 *
 * Locks: enqueue_lock guards all of it but was_cancelled.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_JOIN_H
#define PIPELINE_QUEUE_JOIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <trireme/collective.h>

#include "pipeline/engine/engine.h"

struct pipeline_join {
    struct trm_join desc;
    uint32_t tokens; /* of this round so far */
};

struct pipeline_joins {
    struct trm_collective *collective;
    struct trm_stream *streams[PIPELINE_MEMBERS_MOST]; /* by member; NULL: none yet */
    struct pipeline_join joins[PIPELINE_PORTS_MOST];
    uint32_t count;
    _Atomic bool was_cancelled; /* the next token begins a round */
};

/* Checks the joins of a front whose members are there against its ports. Errors: INVALID_ARGUMENT,
 * UNSUPPORTED, naming the port. */
int32_t pipeline_joins_check(const struct pipeline *front, const struct trm_pipeline_desc *desc);

/* Makes the joins of a front of several members; without joins in the descriptor front->joins stays NULL.
 * Errors: those of pipeline_joins_check() and trm_collective_create(). */
int32_t pipeline_joins_create(struct pipeline *front, struct trm_group *group,
                              const struct trm_pipeline_desc *desc);

/* Waits for joins in flight. Also after a failure to make them. */
void pipeline_joins_destroy(struct pipeline *front);

/* Before a token is enqueued, and after it was. With enqueue_lock. */
int32_t pipeline_joins_before(struct pipeline *front);
int32_t pipeline_joins_after(struct pipeline *front);

/* Copies are not joined before their tokens are known to have ended well. Threads: any. */
void pipeline_joins_break(struct pipeline *front);

/* The round ends without a join. Threads: any. */
void pipeline_joins_cancel(struct pipeline *front);

/* Waits for joins in flight, replaces failed streams, and begins new rounds after a failure. With
 * enqueue_lock. */
void pipeline_joins_recover(struct pipeline *front);

/* After a run that failed or was cancelled: waits for joins in flight, and for copies that are cleared for a
 * round that no token of theirs has begun. Takes enqueue_lock. */
void pipeline_joins_drain(struct pipeline *front);

/* Joins the rounds that have begun, unless work has failed, and waits, also on one device. Without locks.
 * Errors: CANCELLED when a token has failed or was cancelled. */
int32_t pipeline_joins_finish(struct pipeline *front);

#endif
