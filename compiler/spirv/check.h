/* What the checks of types share. The functions here are of the reader alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_CHECK_H
#define COMPILER_SPIRV_CHECK_H

#include "compiler/spirv/reader.h"

/* Of a scalar or vector; `kind` is 0 for all else. */
struct shape {
    uint32_t type;
    enum spirv_type_kind kind; /* BOOL, INT, FLOAT: of the components */
    uint32_t width;
    uint32_t count;
    bool is_signed;
};

struct shape spirv_shape(const struct spirv_module *module, uint32_t type_id);

static inline struct shape spirv_operand_shape(const struct spirv_module *module,
                                               const struct spirv_instruction *instruction, uint32_t index)
{
    return spirv_shape(module, module->ids[instruction->operands[index]].type);
}

/* Same kind, width and number of components. */
static inline bool spirv_is_like(struct shape a, struct shape b)
{
    return a.kind != 0 && a.kind == b.kind && a.width == b.width && a.count == b.count;
}

static inline bool spirv_is_scalar(struct shape shape, enum spirv_type_kind kind)
{
    return shape.kind == kind && shape.count == 1;
}

/* Says that types do not fit. */
int32_t spirv_type_mismatch(const struct spirv_reader *reader);

/* That what a pointer points to may be written, as far as the pointer's origin tells. */
int32_t spirv_check_writable(const struct spirv_reader *reader, uint32_t pointer);

/* Each answers TRM_OK or says what does not fit. */
int32_t spirv_check_arithmetic(struct spirv_reader *reader, enum spirv_rule rule,
                               const struct spirv_instruction *instruction);
int32_t spirv_check_composite(struct spirv_reader *reader, enum spirv_rule rule,
                              const struct spirv_instruction *instruction);
int32_t spirv_check_memory(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction);
int32_t spirv_check_group(struct spirv_reader *reader, enum spirv_rule rule,
                          const struct spirv_instruction *instruction);
int32_t spirv_check_extended(struct spirv_reader *reader, const struct spirv_instruction *instruction);
int32_t spirv_check_branch(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction);

#endif
