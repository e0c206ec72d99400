/* What passes ask about instructions and branches (operation.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_OPERATION_H
#define COMPILER_TRANSLATE_TREE_OPERATION_H

#include <stdbool.h>

#include "compiler/spirv/spirv.h"

struct body;

/* Computes its result from its operands and does nothing else. OpArrayLength counts: buffers do not grow. */
bool operation_is_pure(const struct spirv_module *module, const struct spirv_instruction *op);

/* Pure and cannot trap: may be executed speculatively. */
bool operation_is_safe(const struct spirv_module *module, const struct spirv_instruction *op);

/* Safe, and costs no more than a load and a store. */
bool operation_is_cheap(const struct spirv_module *module, const struct spirv_instruction *op);

/* Writes memory or has another visible effect: must stay even if its result is unused. */
bool operation_has_effect(const struct body *body, const struct spirv_instruction *op);

/* Does the expression for this opcode read each scalar operand exactly once? */
bool operation_reads_once(const struct spirv_instruction *op);

/* Is an OpLoad volatile, by its own flag or its variable's decoration? */
bool operation_is_volatile(const struct body *body, const struct spirv_instruction *op);

/* Is operand `index` an id other than a label? Labels are block indices here. */
bool operand_is_value(const struct spirv_instruction *op, uint32_t index);

/* Is it an OpControlBarrier of the work-group? */
bool operation_is_barrier(const struct spirv_module *module, const struct spirv_instruction *op);

/* How many words a literal of an OpSwitch takes: 1 or 2. */
uint32_t branch_literal_words(const struct spirv_module *module, const struct spirv_instruction *terminator);

/* How many labels a terminator may branch to, and the operand number of each. */
uint32_t branch_count(const struct spirv_module *module, const struct spirv_instruction *terminator);
uint32_t branch_operand(const struct spirv_module *module, const struct spirv_instruction *terminator,
                        uint32_t index);

static inline struct spirv_instruction *block_terminator(const struct spirv_block *block)
{
    return &block->instructions[block->count - 1];
}

#endif
