/* The position in a kernel's tree while it is written: the constructs around it and what was declared.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_FLOW_H
#define COMPILER_TRANSLATE_EMIT_FLOW_H

#include "compiler/translate/emit/emitter.h"

/* Deeper nesting is refused. */
#define FLOW_DEPTH_MOST 1000u

/* A node around the position that jumps can target. */
struct flow_frame {
    const struct node *node; /* LOOP, SWITCH, SCOPE, ITEMS; NULL: the kernel */
    struct flow_frame *up;
    bool at_end;      /* the position is the last thing in the node's body (in its case) */
    bool in_continue; /* of LOOP: the position is in the continue construct */
    /* Of LOOP: C's continue does what NODE_CONTINUE means; of SCOPE: the scope is no statement in C. */
    bool is_plain;
    bool has_end_label;      /* a goto behind the node was written */
    bool has_continue_label; /* of LOOP: a goto to the continue construct was written */
};

struct emit_flow {
    struct flow_frame *top;
    uint32_t depth;
    const struct node *guard; /* an IF decided before the loop: its condition is `guard_holds` */
    bool guard_holds;
    const struct node *items;               /* the loop over work-items that is being written; NULL outside */
    struct spirv_instruction **definitions; /* [count] by id: the instruction that makes a value */
    uint32_t *where; /* [count] by id: 1 + number of the ITEMS node that makes it; 0: outside of all */
    uint32_t *seen;  /* [count] by id: == stamp when it was declared already */
    uint32_t count;
    uint32_t stamp;
    uint32_t builtins[64]; /* masks of components that were asked for, by SpvBuiltIn below 64 */
};

/* The flow of emit->body, at its beginning. NULL without memory. */
struct emit_flow *flow_create(struct emit *emit);

/* Redirect emit->text: flow_capture() begins an empty text and returns the current one; flow_captured()
 * restores that and returns what was written, which ends with a newline or is empty. */
struct text flow_capture(struct emit *emit);
struct text flow_captured(struct emit *emit, const struct text *saved);

void flow_push(struct emit *emit, struct flow_frame *frame, const struct node *node);
void flow_pop(struct emit *emit);

/* Writes a node's body, which may be NULL. */
int32_t flow_body(struct emit *emit, const struct node *node);

/* Is the node NULL, or does it contain no statement? */
bool flow_is_empty(const struct node *node);

/* Does a node do nothing but leave the loop? */
bool flow_is_break_of(const struct node *node, const struct node *loop);

/* Is the condition of an IF a constant? Then *taken is the half that runs, which may be NULL. */
bool flow_has_known_condition(const struct emit *emit, const struct node *node, const struct node **taken);

/* Writes a condition for use between existing parentheses. */
int32_t flow_condition(struct emit *emit, uint32_t id, bool negated);

/* Writes a jump (jump.c). */
int32_t flow_jump(struct emit *emit, const struct node *node);

/* Does a loop, left by `head`, have a small constant trip count (unroll.c)? */
bool flow_should_unroll(const struct emit *emit, const struct node *loop, const struct node *head);

/* Does a loop count one by one up to a bound that it does not change? Then it ends, though perhaps late. */
bool flow_surely_ends(const struct emit *emit, const struct node *loop);

/* Writes a NODE_SWITCH (switch.c). */
int32_t flow_switch(struct emit *emit, const struct node *node);

/* Writes a NODE_COPIES (parallel_copy.c). */
int32_t flow_copies(struct emit *emit, const struct node *node);

/* Writes the declarations at the top of a region (declare.c): values in these places (a mask of 1 << place)
 * that `node` makes or loads, and variables of the function that it uses. */
int32_t flow_declare(struct emit *emit, const struct node *node, uint32_t places);

/* Calls visit() for each instruction in a node, in order, until it returns 0. Returns 0 when a call did. */
typedef bool (*flow_visit_fn)(void *user, const struct node *ops, struct spirv_instruction *op);
bool flow_visit(const struct node *node, flow_visit_fn visit, void *user);

#endif
