/* What passes ask about instructions and branches (operation.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_OPERATION_H
#define COMPILER_TRANSLATE_TREE_OPERATION_H

#include <stdbool.h>

#include "compiler/spirv/spirv.h"

struct body;

/* Instructions that only translations to C have: flatten_instruction.c puts them around the operations of a
 * subgroup that read values of other work-items. */
enum operation_own {
    OPERATION_PUBLISH = 0xfff0, /* result = operands[0], where the subgroup's other work-items can read it */
    OPERATION_MEET    = 0xfff1, /* a barrier of the work-items that are there */
    OPERATION_RETRACT = 0xfff2, /* the work-item is no longer there */
    /* result = whether a work-item of the group is there that published false as operands[0] */
    OPERATION_ANY_LEFT = 0xfff3,
};

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

/* Does the operation of a subgroup read what other work-items published? Only in C, beside cooperative
 * matrices. */
bool operation_is_exchange(const struct spirv_module *module, const struct spirv_instruction *op);

/* Is its result the same for all work-items of the subgroup that are there? */
bool operation_is_agreed(const struct spirv_instruction *op);

/* The number of the operand of a subgroup's operation that is exchanged. */
uint32_t operation_exchanged(const struct spirv_instruction *op);

/* Is it an OpControlBarrier of the work-group, or an OPERATION_MEET? */
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
