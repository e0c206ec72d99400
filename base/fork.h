/* A word that tells the child of a fork from its parent, at the cost of a load: the kernel zeroes its page
 * in the child.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FORK_H
#define BASE_FORK_H

#include <stdatomic.h>
#include <stdint.h>

enum base_fork_word {
    BASE_FORK_CHILD   = 0, /* the page was zeroed: this is a child */
    BASE_FORK_GUARDED = 1, /* the page is zeroed in a child */
    BASE_FORK_PLAIN   = 2, /* the kernel cannot do that (before Linux 4.14): compare process ids */
};

/* A word on its own page. NULL without memory. */
_Atomic uint32_t *base_fork_word_create(void);
void base_fork_word_destroy(_Atomic uint32_t *word);

#endif
