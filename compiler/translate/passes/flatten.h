/* Shared by flatten.c (blocks and calls) and flatten_instruction.c (the instructions in them).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_FLATTEN_H
#define COMPILER_TRANSLATE_PASSES_FLATTEN_H

#include "compiler/translate/passes/steps.h"

struct block_order {
    struct spirv_block **blocks;
    uint32_t count;
};

struct flattener {
    struct body *body;
    struct spirv_module *module;
    uint32_t bound; /* of the module before inlining */
    /* [bound] by id: the copy of a value or variable, 0: none yet; for a label the index of its block */
    uint32_t *map;
    uint32_t *last;             /* [bound] by label: the block in which the copy of that block ends */
    struct block_order *orders; /* [bound] by function, computed at its first call */
    struct spirv_block *block;  /* new instructions go here */
    uint32_t instruction_count;
};

struct returned {
    uint32_t value; /* 0: the function returns none */
    uint32_t block;
};

/* A call that is being inlined. */
struct frame {
    uint32_t behind; /* the block after the call; NO_BLOCK for the kernel itself */
    uint32_t depth;
    struct returned *returns;
    uint32_t return_count, return_capacity;
};

/* Appends an instruction to the current block; NULL without memory. */
struct spirv_instruction *flatten_append(struct flattener *f, uint32_t opcode, uint32_t type, uint32_t result,
                                         uint32_t operand_count, const struct spirv_instruction *like);

int32_t flatten_call(struct flattener *f, const struct frame *caller, const struct spirv_instruction *call);
int32_t flatten_return(struct flattener *f, struct frame *frame, const struct spirv_instruction *op);

/* ---- flatten_pointer.c: variable pointers ------------------------------------------------------ */

/* The address that a pointer operand has, as a value, computed in the current block. 0 without memory. */
uint32_t flatten_address(struct flattener *f, uint32_t id, const struct spirv_instruction *like);

/* Lets `result`, the id of a pointer in the module, point to what `address` points to. */
int32_t flatten_point(struct flattener *f, uint32_t result, uint32_t type, uint32_t address);

/* Copies an instruction that makes, compares, loads or stores variable pointers. */
int32_t flatten_pointer(struct flattener *f, const struct spirv_instruction *op);
bool flatten_is_of_pointers(const struct flattener *f, const struct spirv_instruction *op);

/* Completes a phi of addresses: `value` is what `phi` gets on the way from the block `from`. 0 without
 * memory. */
uint32_t flatten_incoming(struct flattener *f, struct spirv_block *from, uint32_t value,
                          const struct spirv_instruction *phi);

/* Is the id a pointer, and is the type one? */
bool flatten_is_pointer(const struct flattener *f, uint32_t id);
bool flatten_is_pointer_type(const struct flattener *f, uint32_t type);

/* The copy of an operand; 0 when it has none. */
uint32_t flatten_value(const struct flattener *f, uint32_t id);

/* Lets each work-item ask for the lengths of cooperative matrices, where leaders alone hold elements: in this
 * block, in place of the constants. */
int32_t flatten_lengths(struct flattener *f, struct spirv_block *entry);

/* Copies one instruction of a function. */
int32_t flatten_instruction(struct flattener *f, struct frame *frame, const struct spirv_instruction *op);

/* Turns the module's private variables into variables of the kernel, and stores their initial values in this
 * block. */
int32_t flatten_privates(struct flattener *f, struct spirv_block *entry);

#endif
