/* The body of a kernel as a tree: what is between SPIR-V's blocks and the text.
 *
 * For CUDA the tree is the kernel as one work-item sees it. For C it is cut (divide.c): what stands outside of
 * NODE_ITEMS is done once for a work-group, by code that the whole group shares; a NODE_ITEMS is a loop over the
 * work-items of the group, around a stretch without barriers. So
 *
 *     OPS a; BARRIER; LOOP (uniform) { OPS b; BARRIER; OPS c }; OPS d
 * becomes
 *     ITEMS {a}; LOOP { ITEMS {b}; ITEMS {c} }; ITEMS {d}
 *
 * and a kernel without barriers is one NODE_ITEMS, before which stand the OPS whose results are the same for the whole
 * group. NODE_BARRIER is gone after the cut: the end of the loop is the barrier.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_TREE_H
#define COMPILER_TRANSLATE_TREE_TREE_H

#include "compiler/translate/translate.h"

/* A memory access whose pointer was resolved: all OpAccessChain are folded into the instructions that use them. */
struct access {
    uint32_t variable;       /* the root: a variable of the module or the function */
    uint32_t count;          /* of indices */
    const uint32_t *indices; /* ids of values, from the outermost in; of structs: constants */
    uint32_t type;           /* what is accessed: the type behind the pointer */
};

enum node_kind {
    NODE_SEQUENCE = 1, /* children in order */
    NODE_OPS,          /* instructions in order: none is a phi, a barrier, a branch or a return */
    NODE_IF,           /* condition; children[0] then, children[1] else (may be NULL) */
    NODE_LOOP,   /* for ever: children[0] the body, then children[1] (the continue construct; may be NULL) */
    NODE_SWITCH, /* condition is the selector; cases */
    NODE_SCOPE,  /* children[0], once; a LEAVE inside ends it: an inlined function that returns early, or a
                          switch that is no more than that */
    NODE_BREAK,  /* leaves `target`, a LOOP or SWITCH: behind it */
    NODE_CONTINUE, /* goes to the continue construct of `target`, a LOOP */
    NODE_LEAVE,    /* leaves `target`, a SCOPE */
    NODE_RETURN,   /* this work-item is done */
    NODE_COPIES,   /* parallel assignments: all sources are read before any target is written */
    NODE_BARRIER,  /* OpControlBarrier of the work-group (gone after the cut) */
    NODE_ITEMS,    /* (C) children[0] for each work-item of the group */
};

struct node_case {
    const uint64_t *literals; /* as the selector's type extends them */
    uint32_t literal_count;
    uint8_t is_default;
    uint8_t falls_through; /* into the next case; else it ends like one with a break */
    struct node *body;     /* may be NULL */
};

struct node_copy {
    uint32_t target; /* the result of a phi */
    uint32_t source; /* value or constant */
};

struct node {
    enum node_kind kind;
    uint8_t has_barrier; /* somewhere inside */
    uint8_t is_uniform;  /* all work-items of a group come here, or none (as far as the analysis can tell) */
    uint8_t
        is_targeted; /* of LOOP, SWITCH, SCOPE: a goto is needed (see emit_flow.c), e.g. a break of a loop from in a switch */
    uint32_t number; /* unique, for labels */
    struct node *parent;
    struct node *target;
    uint32_t condition; /* id */
    uint32_t unroll;    /* of LOOP: the bits of its SpvLoopControl */
    struct node **children;
    uint32_t child_count, child_capacity;
    struct spirv_instruction **ops; /* of OPS */
    uint32_t op_count, op_capacity;
    struct node_copy *copies;
    uint32_t copy_count, copy_capacity;
    struct node_case *cases;
    uint32_t case_count;
    /* Of ITEMS. */
    uint32_t *loads; /* kept values that this stretch reads and others made */
    uint32_t load_count;
};

/* Is the node, or one somewhere inside of it, of that kind? NULL: no. */
int32_t node_has(const struct node *node, enum node_kind kind);

/* Where a value, or a variable of the function, lives. */
enum place {
    PLACE_NONE = 0, /* is not used, or is a constant */
    PLACE_INLINE,   /* a pure scalar operation used once: written where it is used */
    PLACE_HERE,     /* declared where it is computed */
    PLACE_TOP, /* declared at the top of its NODE_ITEMS (CUDA: of the kernel), assigned where it is computed; so
                       are the results of phis and variables of the function */
    PLACE_GROUP, /* (C) one for the group: declared at the top of the function, computed outside of NODE_ITEMS; or
                       a condition of the group that COPIES at the end of a NODE_ITEMS assign, alike for all items */
    PLACE_KEPT, /* (C) one for each work-item, kept from one NODE_ITEMS to another. Values: declared like TOP in each
                       NODE_ITEMS that uses them, loaded at its beginning where it stands in `loads`, and saved right
                       after each assignment. Variables: live in the kept memory itself */
};

struct value_info {
    uint32_t uses;   /* operands, conditions and copies that name it, through accesses too */
    uint8_t place;   /* enum place */
    uint8_t uniform; /* the same for all work-items of a group */
    uint8_t is_phi;
    struct access access; /* of pointers: what they were resolved to; `variable` is 0 for anything else */
};

/* One kernel on its way. */
struct body {
    struct spirv_module *module;
    const struct spirv_entry *entry;
    struct base_arena *arena;
    struct spirv_function function; /* the entry, all calls inlined */
    struct node *root;              /* a SEQUENCE */
    struct value_info *values;      /* [value_count] by id; grows when passes make ids */
    uint32_t value_count;
    uint32_t *kept; /* ids with PLACE_KEPT */
    uint32_t kept_count;
    uint32_t *locals; /* ids of function (and private) variables that are left, for declarations */
    uint32_t local_count, local_capacity;
    uint32_t node_count; /* numbers given to nodes */
    uint8_t divided;     /* after translate_divide() */
    uint8_t has_barrier;
    uint8_t
        early_return; /* (C) a work-item may return before a barrier that others reach: later stretches ask
                              for each item whether it is still there */
};

/* The passes, in their order. Each answers TRM_OK or an error with its sentence. */
int32_t translate_flatten(
    struct body *body); /* calls inlined (at most 1,000,000 instructions); accesses resolved */
int32_t translate_promote(
    struct body *body); /* variables of the function to values, where they are only read and written whole */
int32_t translate_structure(
    struct body *body); /* the tree; phis become COPIES; what cannot be reached is gone */
int32_t translate_choose(struct body *body); /* loads from chosen places in place of branches (CUDA only) */
int32_t translate_divide(struct body *body); /* uniformity, item loops (C only) */
int32_t translate_place(struct body *body);  /* uses and places */

/* The access that an instruction of memory makes (OpLoad, OpStore, OpAtomic*, OpCopyMemory's two, OpArrayLength): its pointer
 * operand resolved. */
const struct access *body_access(const struct body *body, uint32_t pointer);

#endif
