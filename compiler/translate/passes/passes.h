/* The passes on a kernel's body, in the order in which translate.c runs them. Each returns TRM_OK or an error
 * with its message, and may fail for lack of memory.
 *
 *     flatten.c                    inlines calls, resolves pointers (with flatten_instruction.c)
 *     promote.c                    mem2reg: variables become values (with promote_rename.c, dominators.c)
 *       simplify.c                 constant tables get an initializer
 *     structure.c                  blocks become a tree, phis COPIES (with structure_switch.c, dominators.c)
 *       simplify.c                 extracts from built-ins become loads of one component
 *       simplify_control_flow.c    removes redundant jumps and scopes
 *       eliminate_dead_code.c      removes unused values; counts uses
 *     if_convert.c                 (CUDA) branches around loads become selects
 *     bound_loops.c                (CUDA) loops that count get a form whose rounds NVCC can count
 *     lockstep.c                   (C) loops that the work-items run side by side (with lockstep_loop.c)
 *       uniform.c                  which values and nodes are uniform (with uniform_jumps.c, varying.c)
 *     split_at_barriers.c          (C) regions between barriers become loops over work-items (with
 *                                  split_leave.c, split_waits.c, split_checks.c)
 *       converge.c                 operations of subgroups that some work-items skip
 *       uniform.c                  as above
 *       separate_cases.c           cases with a barrier leave switches in which work-items differ
 *       simplify_control_flow.c    as above
 *       rematerialize.c            cheap values are computed again in each region
 *       eliminate_dead_code.c      as above
 *       spill.c                    values that one region must keep for another
 *         hoist_spills.c           spills leave the loops of a region
 *     place.c                      where each value lives
 *       eliminate_dead_code.c      as above
 *     pair_sines.c                 (CUDA) the sine and the cosine of one angle are computed at once
 *
 * Indented passes are steps of the pass above them (steps.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_PASSES_H
#define COMPILER_TRANSLATE_PASSES_PASSES_H

#include "compiler/translate/tree/tree.h"

/* Inlines calls, to at most 1,000,000 instructions, and resolves accesses. */
int32_t translate_flatten(struct body *body);

/* Turns variables of the function that are only read and written whole, or by vector component, into
 * values. */
int32_t translate_promote(struct body *body);

/* Builds the tree; unreachable blocks are dropped. */
int32_t translate_structure(struct body *body);

/* (CUDA) Turns branches around loads into loads from a selected place. */
int32_t translate_if_convert(struct body *body);

/* (CUDA) Turns `i + 4 <= n` in the head of a loop into `i < limit`. */
int32_t translate_bound_loops(struct body *body);

/* (C) Turns loops in which neighbouring work-items read neighbouring elements into loops of the group. */
int32_t translate_lockstep(struct body *body);

/* (C) Splits the tree at barriers into loops over work-items. */
int32_t translate_split_at_barriers(struct body *body);

/* Counts uses and decides where each value lives. */
int32_t translate_place(struct body *body);

/* (CUDA) Notes which sines and cosines of one angle are computed at once (value_info.pair). */
void translate_pair_sines(struct body *body);

#endif
