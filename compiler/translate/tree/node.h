/* Nodes of the tree (node.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_NODE_H
#define COMPILER_TRANSLATE_TREE_NODE_H

#include <stdbool.h>

#include "compiler/spirv/spirv.h"

struct body;

enum node_kind {
    NODE_SEQUENCE = 1, /* children in order */
    NODE_OPS,          /* instructions in order: no phi, barrier, branch or return */
    NODE_IF,           /* condition; children[0] then, children[1] else (may be NULL) */
    /* Endless: children[0] is the body, then children[1] the continue construct (may be NULL). */
    NODE_LOOP,
    NODE_SWITCH, /* condition is the selector; cases */
    /* Runs children[0] once; a LEAVE inside ends it. Comes from inlined functions that return early, and from
     * switches with a single case. */
    NODE_SCOPE,
    NODE_BREAK,    /* jumps behind `target`, a LOOP or SWITCH */
    NODE_CONTINUE, /* jumps to the continue construct of `target`, a LOOP */
    NODE_LEAVE,    /* jumps behind `target`, a SCOPE */
    NODE_RETURN,   /* ends the work-item */
    NODE_COPIES,   /* parallel assignments: all sources are read before any target is written */
    NODE_BARRIER,  /* OpControlBarrier of the work-group; none is left after split_at_barriers */
    NODE_ITEMS,    /* (C) a parallel region: children[0] for each work-item of the group */
    NODE_ARRIVE,   /* (C, checks_barriers) within ITEMS: counts the work-items that come here */
};

struct node_case {
    const uint64_t *literals; /* extended to 64 bits as the selector's type says */
    uint32_t literal_count;
    bool is_default;
    bool falls_through; /* into the next case; otherwise the case ends with a break */
    struct node *body;  /* may be NULL */
};

struct node_copy {
    uint32_t target; /* the result of a phi */
    uint32_t source; /* value or constant */
};

struct node {
    enum node_kind kind;
    bool has_barrier; /* this node or a node inside is a BARRIER */
    bool has_meeting; /* this node or a node inside is a BARRIER with an `exchange` */
    bool has_control; /* this node or a node inside is a BARRIER of the shader, to which all come or none */
    bool is_uniform;  /* group level: all work-items of a group reach the node, or none does */
    /* Of LOOP, SWITCH, SCOPE: a jump needs a goto, for example a break of a loop from inside a switch. */
    bool is_targeted;
    bool is_case;    /* of IF: was a case of a switch */
    bool asks;       /* of LOOP: runs until no work-item is left in it */
    uint32_t number; /* unique, for labels */
    struct node *parent;
    struct node *target;
    uint32_t condition; /* id */
    /* Of BARRIER: the operation of a subgroup before or behind which its work-items meet; NULL: a barrier
     * of the shader. */
    const struct spirv_instruction *exchange;
    /* Of ARRIVE and of BARRIERs of the shader: the OpControlBarrier. Of the others, with checks_barriers and
     * until split_at_barriers: the first one inside. */
    const struct spirv_instruction *at;
    const char *what;         /* of ARRIVE: what is wrong if only some come (struct trm_cpu_fault), or NULL */
    const struct node *among; /* of ARRIVE: another one, to which those come that could; NULL: the group */
    uint32_t unroll;          /* of LOOP: the bits of its SpvLoopControl */
    struct node **children;
    uint32_t child_count, child_capacity;
    struct spirv_instruction **ops; /* of OPS */
    uint32_t op_count, op_capacity;
    struct node_copy *copies;
    uint32_t copy_count, copy_capacity;
    struct node_case *cases;
    uint32_t case_count;
    uint32_t *loads; /* of ITEMS: spilled values that this region reads and another region computes */
    uint32_t load_count;
};

/* A node with a number of its own. NULL without memory. */
struct node *node_new(struct body *body, enum node_kind kind);

/* Append to a SEQUENCE, OPS or COPIES. NULL arguments and lack of memory are ignored: the arena remembers the
 * latter. */
void node_add(struct body *body, struct node *parent, struct node *child);
void node_add_op(struct body *body, struct node *ops, struct spirv_instruction *op);
void node_add_copy(struct body *body, struct node *copies, uint32_t target, uint32_t source);

/* Inserts a node before the other children. */
void node_insert(struct body *body, struct node *sequence, struct node *child);

/* The OPS at the end of a sequence; appends one when the sequence ends with another kind. NULL without
 * memory. */
struct node *node_last_ops(struct body *body, struct node *sequence);

/* The children of any node: `children`, then the bodies of cases; some are NULL. */
uint32_t node_part_count(const struct node *node);
struct node *node_part(const struct node *node, uint32_t index);

/* Is the node, or a node inside it, of that kind? False for NULL. */
bool node_has(const struct node *node, enum node_kind kind);

/* Sets `parent` and `has_barrier` below a node. */
void node_link(struct node *root);

static inline bool node_is_jump(const struct node *node)
{
    return node->kind == NODE_BREAK || node->kind == NODE_CONTINUE || node->kind == NODE_LEAVE;
}

static inline bool node_is_empty(const struct node *node)
{
    return node == NULL || (node->kind == NODE_SEQUENCE && node->child_count == 0) ||
           (node->kind == NODE_OPS && node->op_count == 0) ||
           (node->kind == NODE_COPIES && node->copy_count == 0);
}

#endif
