/* Reductions of subgroups: shared by op_subgroup.c and op_exchange.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_OP_SUBGROUP_H
#define COMPILER_TRANSLATE_EMIT_OP_SUBGROUP_H

#include "compiler/translate/emit/op.h"

/* A reduction: the prelude's functor and the neutral element. */
struct emit_reduction {
    uint16_t opcode;
    const char *name;
    enum {
        EMIT_ZERO,
        EMIT_ONE,
        EMIT_LEAST,
        EMIT_GREATEST,
        EMIT_ALL
    } neutral;
};

/* NULL when the instruction is no reduction. */
const struct emit_reduction *emit_reduction_of(uint16_t opcode);

/* Writes the neutral element as a number of the operation's own signedness: signed for SMin even if the type
 * is unsigned. */
void emit_neutral(struct emit *emit, const struct spirv_instruction *op,
                  const struct emit_reduction *reduction);

#endif
