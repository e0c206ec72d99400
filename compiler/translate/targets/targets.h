/* The two languages.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TARGETS_TARGETS_H
#define COMPILER_TRANSLATE_TARGETS_TARGETS_H

#include "compiler/translate/emit/emit.h"

extern const struct emit_target target_c;
extern const struct emit_target target_cuda;

/* Is `word` in the text, as a word of its own? */
int32_t target_mentions(const struct text *text, const char *word);

/* The push constants as members of a struct, one a line. Answers how many there are. */
uint32_t target_scalars(struct emit *emit);

/* "float", "uint16_t": the C type of a scalar parameter (a half is its 16 bits). */
const char *target_scalar_type(int32_t type);

/* A text as a string literal, or as what may stand in a comment. */
void target_string(struct text *text, const char *string);

/* The kernel's reflection, of emit->kernel. */
const struct trm_kernel_info *target_kernel_info(const struct emit *emit);

/* ---- target_cuda*.c: parts of a kernel's text, of whose body `body` is the text. */

#define CUDA_ITEM "trm_item" /* the item's number in x, where a thread does several */
#define CUDA_ROW "trm_row"   /* in y, where these lie below one another */
#define CUDA_GROUPS "trm_groups"

/* Looks at emit->body (target_cuda_several.c). */
void target_cuda_several(const struct emit *emit, struct emit_several *several);

void target_cuda_separate(struct emit *emit, uint32_t *count);
uint32_t target_cuda_scalars(const struct trm_kernel_info *kernel);
int32_t target_cuda_asks_for_sizes(struct emit *emit, const struct text *body);
void target_cuda_parameters(struct emit *emit, const struct text *body, const char *more);
void target_cuda_signature(struct emit *emit, const struct text *body, const char *more);
void target_cuda_body(struct emit *emit, const struct text *body);

/* target_cuda_items.c: the whole kernel. */
int32_t target_cuda_write_several(struct emit *emit, const struct text *body);

/* The item as parameters, to stand behind "const uint32_t". */
const char *target_cuda_item(const struct emit *emit);

/* The head of a function SYMBOL_`name` of one item. */
void target_cuda_function(struct emit *emit, const struct text *body, const char *type, const char *name);

/* A call of SYMBOL_`function` for item number first + i; `is_aligned`: the buffers begin at multiples of 16; `more`: a last
 * argument, or "". */
void target_cuda_call(struct emit *emit, const struct text *body, const char *function, int32_t is_aligned,
                      const char *more);

/* Loops over a thread's items: each as a whole; or the first stage of all, then the second, and so on. */
void target_cuda_one_by_one(struct emit *emit, const struct text *body);
void target_cuda_staged(struct emit *emit, const struct text *body, uint32_t stages, int32_t is_aligned);

/* target_cuda_rows.c: the kernel whose threads do items below one another. */
int32_t target_cuda_write_rows(struct emit *emit, const struct text *body);

/* target_cuda_stages.c: functions SYMBOL_stage1 and so on, and struct SYMBOL_kept of what they hand on. count: how many;
 * 0: the body is not to be cut. */
int32_t target_cuda_stages(struct emit *emit, const struct text *body, uint32_t *count);

/* ---- target_c_*.c */

int32_t target_c_kernel(struct emit *emit);
int32_t target_c_items(struct emit *emit, const struct node *node);
int32_t target_c_builtin(struct emit *emit, int32_t builtin, uint32_t component);
void target_c_leave(struct emit *emit);
void target_c_begin(struct emit *emit);
void target_c_end(struct emit *emit);

/* struct NAME_shared and struct NAME_kept of emit->body (target_c_memory.c). 0 when there is nothing in them. */
uint32_t target_c_shared(struct emit *emit);
uint32_t target_c_kept(struct emit *emit);

/* What a group begins with: shared variables that are to be zero, kept ones with an initial value. */
void target_c_clear_shared(struct emit *emit);
int32_t target_c_start_kept(struct emit *emit);

/* Whether rows may run through groups (target_c_kernel.c). */
int32_t target_c_may_merge(struct emit *emit);

#endif
