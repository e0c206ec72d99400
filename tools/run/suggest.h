/* Trireme: which name was meant?
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_SUGGEST_H
#define TRIREME_TOOLS_RUN_SUGGEST_H

#include <stddef.h>

struct trm_context;

/* How many letters have to be put in, taken out or replaced to make one name of the other. Names of 63 characters at most;
 * longer ones are far from everything. */
unsigned suggest_distance(const char *one, const char *other);

/* ", did you mean gray?" into `text`: the installed kernels whose names are at most two letters away, the nearest ones;
 * "" when there is none. */
void suggest_kernels(struct trm_context *context, const char *name, char *text, size_t capacity);

#endif
