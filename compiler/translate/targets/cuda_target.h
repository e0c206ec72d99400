/* The parts of the CUDA target. `body` is always the text of a kernel's body.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TARGETS_CUDA_TARGET_H
#define COMPILER_TRANSLATE_TARGETS_CUDA_TARGET_H

#include "compiler/translate/targets/common.h"

#define CUDA_ITEM "trm_item"      /* the work-item's number in x, in coarsened kernels */
#define CUDA_ROW "trm_row"        /* its number in y, in kernels coarsened along y */
#define CUDA_WORDS "trm_words_%u" /* an image's or sampler's parameter, by its number */
#define CUDA_GROUPS "trm_groups"  /* how many groups in x there are before coarsening */
#define CUDA_TEXTURES \
    "_textures" /* behind the symbol of a kernel for launches that have all texture objects */
#define CUDA_COARSENED \
    "_coarsened" /* the same, whose threads run several work-items, where the launch chooses */

#define CUDA_RECORD "trm_record" /* the parameter that says where a fault is noted, with bounds */
#define CUDA_BUFFERS "trm_buffers"
#define CUDA_SHARED_SPANS "trm_shared_spans"

/* ---- cuda_bounds.c, with TRM_TRANSLATE_BOUNDS */

/* Writes the types and the names that the checks use. */
void target_cuda_begin_bounds(struct emit *emit);

/* Writes what the checks of one kernel use: where a fault is noted, and the memory that a variable pointer
 * may point into. */
void target_cuda_open_bounds(struct emit *emit, const struct text *body);

/* ---- cuda_target.c */

/* Writes a comma unless *count is 0, and counts. */
void target_cuda_separate(struct emit *emit, uint32_t *count);

/* How many parameters are no buffers. */
uint32_t target_cuda_scalars(const struct trm_kernel_info *kernel);

/* Does the body use the size of any buffer? */
bool target_cuda_asks_for_sizes(struct emit *emit, const struct text *body);

/* Writes the parameters that cuda_target.c documents; `more` is one more before the sizes, or NULL. */
void target_cuda_parameters(struct emit *emit, const struct text *body, const char *more);
/* `end` stands behind the kernel's symbol. */
void target_cuda_signature(struct emit *emit, const struct text *body, const char *end, const char *more);
/* Writes what a kernel with this end does before its body. */
void target_cuda_open(struct emit *emit, const struct text *body, const char *end);

/* ---- cuda_coarsen.c */

/* Decides whether and how emit->body is coarsened. */
void target_cuda_coarsen(const struct emit *emit, struct emit_coarsen *coarsen);

/* ---- cuda_loops.c */

/* Do all work-items run each loop equally often, and does no loop use a buffer? */
bool target_cuda_loops_are_even(const struct emit *emit);

/* ---- cuda_items.c */

/* Writes a whole kernel that is coarsened with a bound. */
int32_t target_cuda_write_coarsened(struct emit *emit, const struct text *body);

/* The work-item as parameters, to stand behind "const uint32_t". */
const char *target_cuda_item(const struct emit *emit);

/* Writes the head of a function SYMBOL_`name` of one work-item. */
void target_cuda_function(struct emit *emit, const struct text *body, const char *type, const char *name);

/* Writes a call of SYMBOL_`function` for work-item first + i. `is_aligned`: the buffers begin at multiples of
 * 16. `more`: a last argument, or "". */
void target_cuda_call(struct emit *emit, const struct text *body, const char *function, bool is_aligned,
                      const char *more);

/* Write loops over a thread's work-items: each as a whole; or the first stage of all, then the second, and so
 * on. */
void target_cuda_one_by_one(struct emit *emit, const struct text *body);
void target_cuda_staged(struct emit *emit, const struct text *body, uint32_t stages, bool is_aligned);

/* ---- cuda_rows.c */

/* Writes the kernel whose threads run work-items that are neighbours in y. */
int32_t target_cuda_write_rows(struct emit *emit, const struct text *body);
/* The same for one without a bound; `end` stands behind its symbol. */
void target_cuda_write_unrolled_rows(struct emit *emit, const struct text *body, const char *end);

/* ---- cuda_stages.c */

/* Writes functions SYMBOL_stage1 and so on, and struct SYMBOL_kept of the values they pass on. *count is the
 * number of stages; 0: the body cannot be split. */
int32_t target_cuda_stages(struct emit *emit, const struct text *body, uint32_t *count);

#endif
