/* What the passes on a kernel's body share with one another and with nobody else.
 *
 * The blocks of body->function, between translate_flatten() and translate_structure(): a label is the index of its block,
 * in branches, phis and merges too (NO_BLOCK: one that cannot be reached). All values have ids of their own, made for
 * this body, so that the module stays as it was read.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_PASSES_H
#define COMPILER_TRANSLATE_PASSES_PASSES_H

#include <trireme/status.h>

#include "compiler/translate/tree/tree.h"

#define NO_BLOCK UINT32_MAX

/* Beside SpvOpSelectionMerge and SpvOpLoopMerge: the block ends with an OpBranch into an inlined function, which leaves to
 * merge_block, from wherever it returns. */
#define MERGE_SCOPE UINT32_MAX

#define INSTRUCTIONS_MOST 1000000u
#define NESTING_MOST 200u /* compilers give up soon after */

/* ---- body.c: ids ---------------------------------------------------------------------------- */

/* A new value of that type; 0 and `arena->failed` without memory. */
uint32_t body_new_id(struct body *body, uint32_t type);

/* A new value with the type, name and flags of another. */
uint32_t body_copy_id(struct body *body, uint32_t id);

/* A constant: all zero, or a scalar of these bits. 0 without memory. */
uint32_t body_zero(struct body *body, uint32_t type);
uint32_t body_constant(struct body *body, uint32_t type, uint64_t bits);

/* Room in `values` for all ids there are. 0 without memory. */
int32_t body_grow(struct body *body);

/* The answer of a pass at its end: OUT_OF_HOST_MEMORY where the arena failed. */
int32_t body_status(const struct body *body);

/* UNSUPPORTED: "OpFoo <reason> (file.comp:12)". `op` may be NULL. */
int32_t body_refuse(const struct body *body, const struct spirv_instruction *op, const char *reason);

/* An instruction with room for its operands, at the place in the source of `like` (may be NULL). NULL without memory. */
struct spirv_instruction *body_instruction(struct body *body, uint32_t opcode, uint32_t type, uint32_t result,
                                           uint32_t operand_count, const struct spirv_instruction *like);

/* ---- access.c ------------------------------------------------------------------------------- */

/* A variable's pointer is resolved to itself. */
void access_variable(struct body *body, uint32_t variable);

/* Says what an OpAccessChain with the new result `pointer` points to. Errors: UNSUPPORTED for a base that was not resolved;
 * INVALID_ARGUMENT for indices that its type does not have. */
int32_t access_chain(struct body *body, const struct spirv_instruction *op, uint32_t pointer, uint32_t base,
                     const uint32_t *indices, uint32_t count);

/* A pointer to the same place as another, with these indices. 0 without memory. */
uint32_t access_copy(struct body *body, uint32_t pointer, const uint32_t *indices);

/* Whether all indices are constants that lie inside of the arrays they index. */
int32_t access_is_fixed(const struct body *body, const struct access *access);

/* The variable that stands for all that are bound to the same place. */
const struct spirv_variable *body_variable(const struct body *body, uint32_t id);

/* ---- operation.c ---------------------------------------------------------------------------- */

/* Computes its result of its operands and does nothing else. OpArrayLength is pure too: buffers do not grow. */
int32_t operation_is_pure(const struct spirv_module *module, const struct spirv_instruction *op);

/* Pure, and may be done where the shader would not have done it: it cannot trap. */
int32_t operation_is_safe(const struct spirv_module *module, const struct spirv_instruction *op);

/* Pure, and costs no more than a load and a store. */
int32_t operation_is_cheap(const struct spirv_module *module, const struct spirv_instruction *op);

/* Writes memory, or does something else that others see: must stay, used or not. */
int32_t operation_has_effect(const struct body *body, const struct spirv_instruction *op);

/* Whether an expression with this opcode reads each scalar operand once. */
int32_t operation_reads_once(const struct spirv_instruction *op);

/* Whether an OpLoad asks for memory as it is at this very moment. */
int32_t operation_is_volatile(const struct body *body, const struct spirv_instruction *op);

/* Whether operand `index` is the id of something that is no label: labels are the indices of blocks here. */
int32_t operand_is_value(const struct spirv_instruction *op, uint32_t index);

/* Whether an OpControlBarrier is one of the work-group. */
int32_t operation_is_barrier(const struct spirv_module *module, const struct spirv_instruction *op);

/* ---- operation.c: branches ---------------------------------------------------------------------- */

/* The words that a literal of an OpSwitch takes: 1 or 2. */
uint32_t branch_literal_words(const struct spirv_module *module, const struct spirv_instruction *terminator);

/* The labels that a terminator may go to, one after the other, and which operands they are. */
uint32_t branch_count(const struct spirv_module *module, const struct spirv_instruction *terminator);
uint32_t branch_operand(const struct spirv_module *module, const struct spirv_instruction *terminator,
                        uint32_t index);

static inline struct spirv_instruction *block_terminator(const struct spirv_block *block)
{
    return &block->instructions[block->count - 1];
}

/* ---- node.c --------------------------------------------------------------------------------- */

/* A node with a number of its own. NULL without memory. */
struct node *node_new(struct body *body, enum node_kind kind);

/* Append to a SEQUENCE, OPS or COPIES. They do nothing for NULL, or without memory. */
void node_add(struct body *body, struct node *parent, struct node *child);
void node_insert(struct body *body, struct node *sequence, struct node *child); /* before the others */
void node_add_op(struct body *body, struct node *ops, struct spirv_instruction *op);
void node_add_copy(struct body *body, struct node *copies, uint32_t target, uint32_t source);

/* The OPS at the end of a sequence, made where it ends otherwise. NULL without memory. */
struct node *node_last_ops(struct body *body, struct node *sequence);

/* Children of any node: those of `children` and the bodies of cases; some are NULL. */
uint32_t node_part_count(const struct node *node);
struct node *node_part(const struct node *node, uint32_t index);

/* Sets `parent` and `has_barrier` everywhere below. */
void node_link(struct node *root);

static inline int32_t node_is_jump(const struct node *node)
{
    return node->kind == NODE_BREAK || node->kind == NODE_CONTINUE || node->kind == NODE_LEAVE;
}

static inline int32_t node_is_empty(const struct node *node)
{
    return node == NULL || (node->kind == NODE_SEQUENCE && node->child_count == 0) ||
           (node->kind == NODE_OPS && node->op_count == 0) ||
           (node->kind == NODE_COPIES && node->copy_count == 0);
}

/* ---- simplify.c ----------------------------------------------------------------------------- */

/* A component of a built-in that was loaded whole becomes a load of that component: only the components that are
 * used need be known then, and one of a dimension in which the group is one item wide is the same for all. The
 * instructions that made the operands are known. */
void simplify_extract(struct body *body, struct spirv_instruction *op);

/* Variables that only ever hold one constant get it as their `initializer`, and become `non_writable`. */
void simplify_tables(struct body *body);

/* ---- passes in passes ----------------------------------------------------------------------- */

/* tidy.c: jumps to where control goes anyway are gone, and scopes that nobody leaves; then parents, barriers, targets. */
int32_t translate_tidy(struct body *body);

/* unused.c: what has no effect and is used by nothing that has one is gone; `uses` are counted. */
int32_t translate_drop_unused(struct body *body);

/* uniform.c: which values are the same for the whole group and can be computed by it (value_info.uniform), and
 * which nodes stand at the level of the group (node.is_uniform): barriers, and what is around them. */
int32_t translate_uniform(struct body *body);

/* recompute.c: cheap values are computed again in each NODE_ITEMS that uses them, rather than kept. */
int32_t translate_recompute(struct body *body);

/* keep.c: which values and variables must be kept from one NODE_ITEMS to another, and who loads them. */
int32_t translate_keep(struct body *body);

/* localise.c: kept values that a stretch assigns in a loop are kept once, at its end. */
int32_t translate_localise(struct body *body);

#endif
