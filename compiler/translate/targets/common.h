/* Shared by both languages (common.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TARGETS_COMMON_H
#define COMPILER_TRANSLATE_TARGETS_COMMON_H

#include "compiler/translate/targets/targets.h"

/* Does the text contain `word` as a whole word? */
bool target_mentions(const struct text *text, const char *word);

/* Writes the constant that stands for an image or sampler, which the kernel gets as `words`, if the body
 * names it. */
void target_open_image(struct emit *emit, const struct text *body, uint32_t parameter, const char *words);

/* "[4]" for an array of buffers, images or samplers, else "". */
const char *target_brackets(struct emit *emit, const struct trm_parameter *parameter);

/* How many entries an array has room for. */
uint32_t target_entries(const struct trm_parameter *parameter);

/* Writes the numbers of elements that launches give, and the push constants, as members of a struct, one a
 * line. Returns how many there are. */
uint32_t target_scalars(struct emit *emit);

/* "float", "uint16_t": the C type of a scalar parameter (a half is its 16 bits). */
const char *target_scalar_type(int32_t type);

/* Writes a text as a string literal that may also stand in a comment. */
void target_string(struct text *text, const char *string);

/* Writes the table of the names for sentences about accesses that are outside. `storage`: "static const". */
void target_write_sites(struct emit *emit, const char *storage);

/* The reflection of the kernel emit->kernel. */
const struct trm_kernel_info *target_kernel_info(const struct emit *emit);

#endif
