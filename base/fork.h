/* Words that tell the child of a fork from its parent, at the cost of a load: the kernel zeroes their page in
 * the child.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FORK_H
#define BASE_FORK_H

#include <stdatomic.h>
#include <stdint.h>

enum base_fork_word {
    BASE_FORK_CHILD   = 0, /* the page was zeroed: this is a child */
    BASE_FORK_GUARDED = 1, /* the page is zeroed in a child */
    BASE_FORK_PLAIN   = 2, /* nothing zeroes it (Linux before 4.14, qemu-user): compare process ids */
};

/* Zeroed words on pages of their own. NULL without memory. Word 0 belongs to base_fork_mark(). */
_Atomic uint32_t *base_fork_words_create(uint32_t count);
void base_fork_words_destroy(_Atomic uint32_t *words, uint32_t count);

/* What to store in a word, in the parent or in a child, so that children of this process can be told:
 * GUARDED or PLAIN. */
uint32_t base_fork_mark(const _Atomic uint32_t *words);

#endif
