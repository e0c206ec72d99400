/* Cooperative matrices (op_cooperative.c, matrix_memory.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_OP_COOPERATIVE_H
#define COMPILER_TRANSLATE_EMIT_OP_COOPERATIVE_H

#include "compiler/translate/emit/op.h"

/* Finds out which types are used for B alone (CUDA). */
int32_t emit_matrices(struct emit *emit);

/* Writes the struct of a type of cooperative matrices. */
void emit_matrix_struct(struct emit *emit, uint32_t type);

/* How many elements a struct of the type has. */
uint32_t emit_matrix_elements(const struct emit *emit, uint32_t type);

/* "if (trm_leader) " where only the leader of a subgroup does something to a matrix, else "". */
const char *emit_matrix_guard(const struct emit *emit);

/* Writes a constant matrix, or an element of it. */
int32_t emit_matrix_constant(struct emit *emit, uint32_t id, uint32_t component);

/* Declares a result that lives where it is computed; not a result elsewhere. */
void emit_matrix_declare(struct emit *emit, uint32_t id);

/* Is it an instruction on cooperative matrices, or on a variable that holds some? */
bool emit_is_of_matrices(const struct emit *emit, const struct spirv_instruction *op);

/* Writes such an instruction. */
int32_t emit_cooperative(struct emit *emit, const struct spirv_instruction *op);

/* ---- matrix_memory.c: write loops over the elements of a matrix in memory, for this work-item */

int32_t emit_matrix_load(struct emit *emit, const struct spirv_instruction *op);
int32_t emit_matrix_store(struct emit *emit, const struct spirv_instruction *op);

#endif
