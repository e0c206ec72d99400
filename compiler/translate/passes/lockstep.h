/* Shared by lockstep.c, which decides, and lockstep_loop.c, which makes loops of the group.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_LOCKSTEP_H
#define COMPILER_TRANSLATE_PASSES_LOCKSTEP_H

#include "compiler/translate/passes/steps.h"

/* A loop that each work-item runs by itself. */
struct lockstep_loop {
    struct node *loop;
    struct node *sequence; /* the parent, which has the loop at `index` */
    uint32_t index;
    struct node *head;   /* the IF that leaves the loop, first in its body */
    uint32_t head_index; /* in the body's sequence */
    bool is_negated;     /* the loop continues while the condition is false */
    struct node *back;   /* the COPIES at its end, of its phis */
};

struct lockstep {
    struct body *body;
    struct spirv_instruction **definitions; /* by id: the instruction that makes it */
    bool *inside;                           /* by id: it is made in the current loop */
    uint32_t count;
    struct lockstep_loop at; /* the current loop */
};

/* By how much an integer grows from one work-item to the next along x, for all work-items alike. Phis of the
 * current loop count as 0, except `counter`, which grows by `counter_step`. False when that is unknown. */
bool lockstep_step(const struct lockstep *l, uint32_t id, uint32_t counter, int64_t counter_step,
                   int64_t *step);

/* The value that the work-item at x = 0 has, computed by the group: appends instructions to `ops`. 0 when
 * that is impossible. */
uint32_t lockstep_first(struct lockstep *l, struct node *ops, uint32_t id);

/* Inserts a loop of the group before the current one, which runs as long as all work-items do; the current
 * one runs the rest. Returns the condition of the new loop, or 0 when it cannot be made; then nothing has
 * changed. */
uint32_t lockstep_split(struct lockstep *l);

/* Do neighbouring work-items access neighbouring elements of a buffer in the current loop, when `counter`
 * grows with them? */
bool lockstep_is_coalesced(const struct lockstep *l, uint32_t counter);

/* The value of a phi of the current loop at the loop's end; 0 when it is no phi of it. */
uint32_t lockstep_next(const struct lockstep *l, uint32_t phi);

#endif
