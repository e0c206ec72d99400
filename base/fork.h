/* Telling the child of a fork from its parent for the price of a load.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FORK_H
#define BASE_FORK_H

#include <stdatomic.h>
#include <stdint.h>

enum base_fork_word {
    BASE_FORK_CHILD   = 0, /* the page was wiped: this is a child */
    BASE_FORK_GUARDED = 1, /* the page will be wiped in a child */
    BASE_FORK_PLAIN   = 2, /* the kernel cannot wipe it (before Linux 4.14): compare process ids */
};

/* A word on a page of its own. NULL when there is no memory. */
_Atomic uint32_t *base_fork_word_create(void);
void base_fork_word_destroy(_Atomic uint32_t *word);

#endif
