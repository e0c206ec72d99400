/* Reading ahead: loaders fill tokens in memory of the host while no slot is free, as many as the measured
 * rates need and the source's budget allows (trm_source.ahead_bytes).
 *
 * A loader fills a free slot itself where the slot's token has not been read ahead, which costs no copy.
 * Otherwise the token that was read ahead is copied into the slot, by a thread of its own, since all loaders
 * may be inside the source then. So the tokens that are read ahead are always those that follow the slots'
 * without a gap.
 *
 * The lock is pipeline->lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_AHEAD_H
#define PIPELINE_QUEUE_AHEAD_H

#include <stdbool.h>
#include <trireme/report.h>

#include "base/base.h"
#include "pipeline/estimate/estimate.h"

struct pipeline;
struct pipeline_slot;

enum pipeline_ahead_state {
    PIPELINE_AHEAD_EMPTY   = 0,
    PIPELINE_AHEAD_FILLING = 1, /* a loader calls the source */
    PIPELINE_AHEAD_READY   = 2,
    PIPELINE_AHEAD_TAKEN   = 3, /* a loader copies it into a slot */
};

/* A token that is read ahead. Its memory is allocated when it is first used. */
struct pipeline_ahead_place {
    int32_t state;  /* enum pipeline_ahead_state */
    int32_t answer; /* of the source */
    struct trm_token token;
    unsigned char *memory; /* of all inputs */
    struct base_failure failure;
};

/* What the report says of it, also after the run. */
struct pipeline_ahead_facts {
    struct pipeline_buffer buffer; /* how long the source takes, and how often slots take a token */
    uint64_t bytes;                /* allocated */
    uint32_t limit;                /* tokens that may be read ahead now; 0: the source does not read ahead */
    uint32_t budget;               /* that fit into ahead_bytes */
    uint32_t most;                 /* that were there at once */
    uint32_t none;                 /* enum trm_ahead_none */
    double predicted;              /* the part of the time in which slots wait for tokens */
};

struct pipeline_ahead {
    struct pipeline_ahead_place *places; /* by index of the token, modulo facts.budget */
    uint64_t place_bytes;
    uint64_t next; /* the index of the token that is read ahead next */
    uint32_t used; /* places that are not empty */
    bool has_ended;
    bool is_waiting; /* the token that a slot gets next is there, and no slot is free */
    bool has_waited; /* the last one waited so */
    uint64_t last_taken_at;
    uint32_t taken; /* tokens since the last prediction */
};

/* Prepares a run; without a budget it does nothing. Errors: no memory. pipeline_ahead_end() after its loaders
 * have ended. */
int32_t pipeline_ahead_begin(struct pipeline *pipeline);
void pipeline_ahead_end(struct pipeline *pipeline);

/* Whether the token that a slot gets next is in this state, among those that are read ahead. With the
 * lock. */
bool pipeline_ahead_is(const struct pipeline *pipeline, enum pipeline_ahead_state state);

/* No slot is free. With the lock. */
void pipeline_ahead_wait(struct pipeline *pipeline);

/* Reads one token ahead. False: none may be read now. With the lock, released meanwhile. */
bool pipeline_ahead_read(struct pipeline *pipeline);

/* A slot has got its index: takes the place of its token. NULL: it was not read ahead. With the lock. */
struct pipeline_ahead_place *pipeline_ahead_take(struct pipeline_slot *slot);

/* Copies a token into its slot, and returns what the source said of it. Without the lock. */
int32_t pipeline_ahead_hand_over(const struct pipeline_ahead_place *place, struct pipeline_slot *slot);

/* The token is in its slot. With the lock. */
void pipeline_ahead_release(struct pipeline *pipeline, struct pipeline_ahead_place *place);

/* The source took so long for a token. With the lock. */
void pipeline_ahead_learn(struct pipeline *pipeline, uint64_t took);

/* Fills in what the report says of it. */
void pipeline_ahead_report(const struct pipeline_ahead_facts *facts, struct trm_report *report);

#endif
