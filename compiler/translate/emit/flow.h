/* Where in a kernel the text is: what emit_flow.c and its neighbours know about the part of the tree they are in.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_FLOW_H
#define COMPILER_TRANSLATE_EMIT_FLOW_H

#include "compiler/translate/emit/emit.h"

/* Deeper nesting than this is refused. */
#define FLOW_DEPTH_MOST 1000u

/* A node that jumps can aim at, around what is being written. */
struct flow_frame {
    const struct node *node; /* LOOP, SWITCH, SCOPE, ITEMS; NULL: the kernel */
    struct flow_frame *up;
    uint8_t at_end;      /* what is being written is the last thing of the node's body (of its case) */
    uint8_t in_continue; /* of LOOP: it is in the continue construct */
    uint8_t
        plain; /* of LOOP: C's continue does what NODE_CONTINUE means; of SCOPE: it is no statement in C */
    uint8_t end_label;      /* a goto behind the node was written */
    uint8_t continue_label; /* of LOOP: a goto to the continue construct */
};

struct emit_flow {
    struct flow_frame *top;
    uint32_t depth;
    const struct node *guard; /* an IF that was decided before the loop: its condition is `guard_holds` */
    int32_t guard_holds;
    const struct node *items;               /* the loop over work-items that is being written; NULL outside */
    struct spirv_instruction **definitions; /* [count] by id: where in the tree a value is made */
    uint32_t *where; /* [count] by id: number of the ITEMS node that makes it; 0: outside of all */
    uint32_t *seen;  /* [count] by id: == stamp when it was declared already */
    uint32_t count;
    uint32_t stamp;
    uint32_t builtins[64]; /* masks of components that were asked for, by SpvBuiltIn below 64 */
};

/* The flow of emit->body, from nothing. NULL without memory. */
struct emit_flow *flow_create(struct emit *emit);

/* Write into a text of its own: begin, and what was written, which ends with a line's end or is empty. */
struct text flow_capture(struct emit *emit);
struct text flow_captured(struct emit *emit, const struct text *saved);

void flow_push(struct emit *emit, struct flow_frame *frame, const struct node *node);
void flow_pop(struct emit *emit);

/* Write a node's body, which may be NULL. */
int32_t flow_body(struct emit *emit, const struct node *node);

/* NULL, or nothing but sequences of nothing. */
int32_t flow_is_empty(const struct node *node);

/* Is the condition of an IF a constant? Then *taken is the half that is done, which may be NULL. */
int32_t flow_is_decided(const struct emit *emit, const struct node *node, const struct node **taken);

/* A condition as it stands in brackets that are there already. */
int32_t flow_condition(struct emit *emit, uint32_t id, int32_t negated);

/* A jump (emit_jump.c). */
int32_t flow_jump(struct emit *emit, const struct node *node);

/* Has a loop, left by `head`, a small constant number of rounds (emit_unroll.c)? */
int32_t flow_is_short(const struct emit *emit, const struct node *loop, const struct node *head);

/* NODE_SWITCH (emit_switch.c). */
int32_t flow_switch(struct emit *emit, const struct node *node);

/* NODE_COPIES (emit_copies.c). */
int32_t flow_copies(struct emit *emit, const struct node *node);

/* What is to be declared at the top of a stretch (emit_declare.c): values of these places that `node` or something in it makes or
 * loads, and variables of the function that it uses. */
int32_t flow_declare(struct emit *emit, const struct node *node, uint32_t places);

/* Calls visit() for each instruction in a node, in order, until it answers 0. Answers that. */
typedef int32_t (*flow_visit_fn)(void *user, const struct node *ops, struct spirv_instruction *op);
int32_t flow_visit(const struct node *node, flow_visit_fn visit, void *user);

#endif
