/* Trireme: suggestions for misspelled kernel names.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_SUGGEST_H
#define TRIREME_TOOLS_RUN_SUGGEST_H

#include <stddef.h>

struct trm_context;

/* The edit distance (Levenshtein) of two names of at most 63 characters; longer names are far from all
 * others. */
unsigned suggest_distance(const char *one, const char *other);

/* Write ", did you mean gray?" to `text`, with the nearest installed kernels at an edit distance of at most
 * two; "" if there is none. */
void suggest_kernels(struct trm_context *context, const char *name, char *text, size_t capacity);

#endif
