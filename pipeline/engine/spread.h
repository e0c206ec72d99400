/* Tokens that are spread: all devices of a group work on one at the same time, each on its part.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_SPREAD_H
#define PIPELINE_ENGINE_SPREAD_H

#include "pipeline/engine/engine_internal.h"

/* Of a slot. */
struct pipeline_spread {
    uint64_t grains; /* of a part; 0: the token that is enqueued now is not spread */
    /* By member: a slot of that device without memory, which has its arguments and its stream; NULL: none
     * yet, and that of the slot's own device. */
    struct pipeline_slot *helpers[PIPELINE_MEMBERS_MOST];
    struct trm_event
        *ends[PIPELINE_MEMBERS_MOST];    /* by member: stamps of the ends of parts; NULL: none yet */
    bool stamped[PIPELINE_MEMBERS_MOST]; /* by member: recorded for this token */
};

/* Whether tokens can be spread over the members of a front. */
bool pipeline_spread_is_possible(const struct pipeline *front);

/* Whether the next token is to be spread. */
static inline bool pipeline_spread_is_due(const struct pipeline_slot *slot)
{
    return atomic_load_explicit(&slot->front->is_spreading, memory_order_relaxed);
}

/* Enqueues a token on all devices; on its own alone where that is impossible. */
extern const struct pipeline_strategy_ops pipeline_strategy_spread;

/* Grains of a part if the token in a slot has `parts` at most; sets how many it has. */
uint64_t pipeline_pieces_part(const struct pipeline_slot *slot, uint32_t *parts);

/* A slot without memory and stamps. It may be destroyed after the engine of its device. */
int32_t pipeline_slot_create_bare(struct pipeline *pipeline, uint32_t index, struct pipeline_slot **slot);
void pipeline_slot_destroy_bare(struct pipeline_slot *slot, struct core_context *context);

/* Replaces failed streams of the helpers; `replace` is told each. */
void pipeline_spread_recover(const struct pipeline_slot *slot, bool (*replace)(struct trm_stream **stream));

/* When the last part of a token that is spread has ended, whose own device ended its part at `end`; of other
 * tokens, `end`. */
uint64_t pipeline_spread_end(const struct pipeline_slot *slot, uint64_t end);

/* Destroys the helpers; all is made anew when it is needed. */
void pipeline_spread_drop_helpers(struct pipeline_slot *slot);
void pipeline_spread_destroy(struct pipeline_slot *slot);

#endif
