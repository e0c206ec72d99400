/* How the program was linked.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_LINKAGE_H
#define BASE_LINKAGE_H

#include <stdbool.h>

/* Is the program fully static (-static, -static-pie)? A library that it opens brings a second C library, with
 * threads and memory of its own, and drivers crash in it. */
bool base_program_is_static(void);

#endif
