/* The parts of the C target.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TARGETS_C_TARGET_H
#define COMPILER_TRANSLATE_TARGETS_C_TARGET_H

#include "compiler/translate/targets/common.h"

int32_t target_c_kernel(struct emit *emit);
int32_t target_c_items(struct emit *emit, const struct node *node);
bool target_c_builtin(struct emit *emit, int32_t builtin, uint32_t component);
void target_c_leave(struct emit *emit);
void target_c_begin(struct emit *emit);
void target_c_end(struct emit *emit);

/* Write struct SYMBOL_shared and struct SYMBOL_kept of emit->body (c_memory.c). False when the struct would
 * be empty. */
bool target_c_shared(struct emit *emit);
bool target_c_spilled(struct emit *emit);

/* Write the beginning of a group: zeroed shared variables, initial values of spilled ones. */
void target_c_clear_shared(struct emit *emit);
int32_t target_c_start_spilled(struct emit *emit);

/* May rows run through groups (c_merge.c)? */
bool target_c_may_merge(struct emit *emit);

#endif
