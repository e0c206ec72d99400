/* One kernel on its way through the passes: its blocks, its tree, and what is known about its values
 * (body.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_BODY_H
#define COMPILER_TRANSLATE_TREE_BODY_H

#include <stdbool.h>
#include <trireme/status.h>

#include "compiler/translate/tree/access.h"
#include "compiler/translate/tree/node.h"

/* Between translate_flatten() and translate_structure() a label in body->function is the index of its block,
 * in branches, phis and merges too. NO_BLOCK: a block that cannot be reached. */
#define NO_BLOCK UINT32_MAX

/* A merge kind beside SpvOpSelectionMerge and SpvOpLoopMerge: the block ends with an OpBranch into an inlined
 * function, which branches to merge_block wherever it returns. */
#define MERGE_SCOPE UINT32_MAX

/* Where a value, or a variable of the function, lives. */
enum place {
    PLACE_NONE = 0, /* unused, or a constant */
    PLACE_INLINE,   /* a pure scalar operation with one use: written where it is used */
    PLACE_HERE,     /* declared where it is computed */
    /* Declared at the top of its NODE_ITEMS (CUDA: of the kernel), assigned where it is computed. So are the
     * results of phis and variables of the function. */
    PLACE_TOP,
    /* (C) One for the group, declared at the top of the function and computed outside of NODE_ITEMS; or a
     * condition of the group that COPIES at the end of a NODE_ITEMS assign, to the same value for all
     * work-items. */
    PLACE_GROUP,
    /* (C) One for each work-item, spilled from one NODE_ITEMS to another. Values: declared like TOP in each
     * NODE_ITEMS that uses them, loaded at its beginning when listed in `loads`, and saved right after each
     * assignment. Variables: live in the spill memory itself. */
    PLACE_SPILLED,
};

struct value_info {
    uint32_t uses;   /* operands, conditions and copies that name the value, through accesses too */
    uint8_t place;   /* enum place */
    bool is_uniform; /* the same for all work-items of a group */
    bool is_phi;
    uint32_t pair; /* of a sine or cosine: the first of the two that are computed at once; 0: alone */
    /* made in a loop that work-items leave one by one, and used outside: not computed again there */
    bool is_kept;
    bool is_divergent; /* differs between work-items: some have left the construct in which it is computed */
    struct access access; /* of pointers; `variable` is 0 for any other value */
};

/* All values have ids of their own, made for this body, so that the module stays as it was read. */
struct body {
    struct spirv_module *module;
    const struct spirv_entry *entry;
    struct base_arena *arena;
    uint32_t instruction_limit;     /* once all calls are inlined */
    struct spirv_function function; /* the entry, all calls inlined */
    struct node *root;              /* a SEQUENCE */
    struct value_info *values;      /* [value_count] by id; grows when passes make ids */
    uint32_t value_count;
    uint32_t *spilled; /* ids with PLACE_SPILLED */
    uint32_t spilled_count;
    uint32_t *locals; /* ids of function and private variables that need a declaration */
    uint32_t local_count, local_capacity;
    /* Variable pointers: the type of addresses, and the memory variables (access.h). */
    uint32_t address_type;
    uint32_t *memories;
    uint32_t memory_count, memory_capacity;
    uint32_t bool_type;   /* found or made by body_bool_type(), or 0 */
    uint32_t node_count;  /* numbers given to nodes */
    bool checks_bounds;   /* TRM_TRANSLATE_BOUNDS */
    bool checks_barriers; /* TRM_TRANSLATE_BARRIERS */
    bool is_split;        /* translate_split_at_barriers() is done */
    bool has_barrier;
    /* (C) A work-item may return before a barrier that others reach: later regions check for each work-item
     * whether it has returned. */
    bool returns_early;
    /* (C) Some work-items of a subgroup may be missing from an operation that exchanges values: those that
     * are there are noted. */
    bool has_absent;
};

/* A new value of that type; 0 and `arena->failed` without memory. */
uint32_t body_new_id(struct body *body, uint32_t type);

/* A new value with the type, name and flags of another. */
uint32_t body_copy_id(struct body *body, uint32_t id);

/* A constant: all zero, or a scalar of these bits. 0 without memory. */
uint32_t body_zero(struct body *body, uint32_t type);
uint32_t body_constant(struct body *body, uint32_t type, uint64_t bits);

/* The types of booleans and of addresses, a 64-bit unsigned integer, made when the module has none. A pointer
 * type. 0 without memory. */
uint32_t body_bool_type(struct body *body);
uint32_t body_address_type(struct body *body);
uint32_t body_pointer_type(struct body *body, uint32_t storage, uint32_t element);

/* Makes room in `values` for all ids. 0 without memory. */
bool body_grow(struct body *body);

/* The instruction that computes a value; NULL for phis, constants and variables. */
struct spirv_instruction *body_definition(const struct body *body, uint32_t id);

/* The status of a pass at its end; not TRM_OK when the arena failed. */
int32_t body_status(const struct body *body);

/* UNSUPPORTED: "OpFoo <reason> (file.comp:12)". `op` may be NULL. */
int32_t body_refuse(const struct body *body, const struct spirv_instruction *op, const char *reason);

/* An instruction with room for its operands and the source position of `like` (may be NULL). NULL without
 * memory. */
struct spirv_instruction *body_instruction(struct body *body, uint32_t opcode, uint32_t type, uint32_t result,
                                           uint32_t operand_count, const struct spirv_instruction *like);

#endif
