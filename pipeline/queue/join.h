/* Joins: shared ports that kernels of several devices write. Each device has a copy of the buffer; a join
 * combines the copies of all devices and gives each device the result (trm_pipeline_desc.joins).
 *
 * A join has one stream on each device. It waits there for the last token of the device, and the next
 * token of the device waits for it: the engines process tokens in order where kernels write a shared port.
 *
 * A round is the tokens between two joins. The first token of a round sets the copies of all devices but
 * the first to zero where the operation is SUM, since the copies then are parts of one sum.
 *
 * Locks: enqueue_lock guards all of it but was_cancelled and what the report gets.
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

#define PIPELINE_JOINS_TIMED 4 /* at once */

/* A join that is timed: its end is recorded, but not known to be reached. */
struct pipeline_join_pair {
    struct trm_event *begin, *end; /* NULL: nothing is measured */
    bool is_pending;
};

struct pipeline_join_times {
    struct pipeline_join_pair pairs[PIPELINE_JOINS_TIMED];
    uint64_t last; /* when the last timed one was enqueued */
    /* Of the report. Threads: any */
    _Atomic uint64_t joins, timed, sum;
};

struct pipeline_joins {
    struct trm_collective *collective;
    struct trm_stream *streams[PIPELINE_MEMBERS_MOST]; /* by member; NULL: none yet */
    struct pipeline_join joins[PIPELINE_PORTS_MOST];
    uint32_t count;
    struct pipeline_join_times times;
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

/* Adds the number of joins and their time to a report, and begins them anew. Threads: any. */
void pipeline_joins_report(const struct pipeline *front, struct trm_report *report);
void pipeline_joins_forget(struct pipeline *front);

/* ---- join_times.c, of join.c ---------------------------------------------------------------- */

int32_t pipeline_join_times_create(struct pipeline_join_times *times, const struct pipeline *member);
void pipeline_join_times_destroy(struct pipeline_join_times *times);

/* Around what a join does on the stream of the first device. pair: receives NULL where it is not timed. */
int32_t pipeline_join_times_begin(struct pipeline_join_times *times, struct trm_stream *stream,
                                  struct pipeline_join_pair **pair);
int32_t pipeline_join_times_end(struct pipeline_join_times *times, struct trm_stream *stream,
                                struct pipeline_join_pair *pair);

/* Adds the joins that have ended. */
void pipeline_join_times_collect(struct pipeline_join_times *times);

#endif
