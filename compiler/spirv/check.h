/* Helpers of the type checks (check_*.c), for use inside the reader only.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_CHECK_H
#define COMPILER_SPIRV_CHECK_H

#include "compiler/spirv/reader.h"

/* Describes a scalar or vector type; `kind` is 0 for any other type. */
struct shape {
    uint32_t type;
    enum spirv_type_kind kind; /* of the components: BOOL, INT or FLOAT */
    uint32_t width;            /* bits of a component */
    uint32_t count;            /* components */
    bool is_signed;
};

struct shape spirv_shape(const struct spirv_module *module, uint32_t type_id);

static inline struct shape spirv_operand_shape(const struct spirv_module *module,
                                               const struct spirv_instruction *instruction, uint32_t index)
{
    return spirv_shape(module, module->ids[instruction->operands[index]].type);
}

/* Whether kind, width and number of components are the same; signedness may differ. */
static inline bool spirv_is_like(struct shape a, struct shape b)
{
    return a.kind != 0 && a.kind == b.kind && a.width == b.width && a.count == b.count;
}

static inline bool spirv_is_scalar(struct shape shape, enum spirv_type_kind kind)
{
    return shape.kind == kind && shape.count == 1;
}

/* Whether the operands from index `from` on are all like `shape`. */
bool spirv_operands_are_like(const struct spirv_module *module, const struct spirv_instruction *instruction,
                             struct shape shape, uint32_t from);

/* Fails with INVALID_ARGUMENT: the types of the operands do not fit together. */
int32_t spirv_type_mismatch(const struct spirv_reader *reader);

/* Checks that the memory behind a pointer may be written. Looks at the storage class and, if the pointer
 * comes from a variable, at its decorations. */
int32_t spirv_check_writable(const struct spirv_reader *reader, uint32_t pointer);

/* Check the types of an instruction. Errors: INVALID_ARGUMENT for types that do not fit, UNSUPPORTED. */
int32_t spirv_check_arithmetic(struct spirv_reader *reader, enum spirv_rule rule,
                               const struct spirv_instruction *instruction);
int32_t spirv_check_composite(struct spirv_reader *reader, enum spirv_rule rule,
                              const struct spirv_instruction *instruction);
int32_t spirv_check_memory(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction);
int32_t spirv_check_group(struct spirv_reader *reader, enum spirv_rule rule,
                          const struct spirv_instruction *instruction);
int32_t spirv_check_image(struct spirv_reader *reader, enum spirv_rule rule,
                          const struct spirv_instruction *instruction);
int32_t spirv_check_extended(struct spirv_reader *reader, const struct spirv_instruction *instruction);
int32_t spirv_check_branch(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction);

#endif
