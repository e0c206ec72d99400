/* What lockstep.c, which decides, and lockstep_loop.c, which makes loops of the group, share.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_LOCKSTEP_H
#define COMPILER_TRANSLATE_PASSES_LOCKSTEP_H

#include "compiler/translate/passes/steps.h"

/* A loop that each item runs through by itself. */
struct lockstep_loop {
    struct node *loop;
    struct node *sequence; /* in which it stands, at `index` */
    uint32_t index;
    struct node *head;   /* the IF that leaves it, first in its body */
    uint32_t head_index; /* in the body's sequence */
    bool is_negated;     /* it goes on while the condition does not hold */
    struct node *back;   /* the COPIES at its end, of its phis */
};

struct lockstep {
    struct body *body;
    struct spirv_instruction **definitions; /* by id: what makes it, and in which loop: see `inside` */
    bool *inside;                           /* by id: it is made in the loop at hand */
    uint32_t count;
    struct lockstep_loop at; /* the loop at hand */
};

/* How much an integer grows from one item to the next along x, for all items alike. Phis of the loop at hand count as 0 but for
 * `counter`, which grows by `counter_step`. 0 when that is not known. */
bool lockstep_step(const struct lockstep *l, uint32_t id, uint32_t counter, int64_t counter_step,
                   int64_t *step);

/* A value as the item at x = 0 has it, computed by the group: instructions are added to `ops`. 0 when that cannot be. */
uint32_t lockstep_first(struct lockstep *l, struct node *ops, uint32_t id);

/* Puts a loop of the group before the one at hand, which goes on as long as all items do, and lets that one do the rest. The
 * condition of the new one, or 0 when it cannot be made; nothing has changed then. */
uint32_t lockstep_split(struct lockstep *l);

/* Are neighbouring elements of a buffer accessed in the loop at hand by neighbouring items, when `counter` grows with them? */
bool lockstep_is_coalesced(const struct lockstep *l, uint32_t counter);

/* The value of a phi of the loop at hand at its end, 0 when it is none. */
uint32_t lockstep_next(const struct lockstep *l, uint32_t phi);

#endif
