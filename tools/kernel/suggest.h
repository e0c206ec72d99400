/* Trireme: suggestions for misspelled options of `trireme run` and cases of `trireme bench`.
 *
 * Only the program knows these names: options of a kernel, and its own. For a misspelled kernel the library's
 * error has a suggestion, from an edit distance of the library's own (base/edit_distance.c): a program sees
 * the public headers only, and they have no function for it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_SUGGEST_H
#define TRIREME_TOOLS_KERNEL_SUGGEST_H

#include <stddef.h>

/* The names nearest to a misspelled one: at an edit distance of at most two, and less than its length. */
struct suggestion {
    const char *name;
    unsigned nearest;
    char names[160];
};

void suggestion_init(struct suggestion *suggestion, const char *name);

/* Keep a name if it is as near as the nearest so far. */
void suggestion_try(struct suggestion *suggestion, const char *name);

/* Write " (did you mean gray or gamma?)" to `text`; "" if no name is near. */
void suggestion_text(const struct suggestion *suggestion, char *text, size_t capacity);

/* The edit distance (Levenshtein) of two names of at most 63 characters; longer names are far from all
 * others. */
unsigned suggest_distance(const char *one, const char *other);

#endif
