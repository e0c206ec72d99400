/* How far two names are from each other, for suggestions.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_EDIT_DISTANCE_H
#define BASE_EDIT_DISTANCE_H

#include <stdint.h>

#define BASE_EDIT_NAME_MAX 100
#define BASE_EDIT_FAR 3u /* edits from which on two names have nothing to do with each other */

/* The edit distance of two names (Levenshtein). UINT32_MAX when one is longer than BASE_EDIT_NAME_MAX. */
uint32_t base_edit_distance(const char *one, const char *other);

#endif
