/* A word that tells the child of a fork from its parent.
 * SPDX-License-Identifier: MIT
 */
#include "base/fork.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

_Atomic uint32_t *base_fork_word_create(void)
{
    size_t page  = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    _Atomic uint32_t *word = memory;
    bool is_wiped          = madvise(memory, page, MADV_WIPEONFORK) == 0;
    atomic_store(word, is_wiped ? BASE_FORK_GUARDED : BASE_FORK_PLAIN);
    return word;
}

void base_fork_word_destroy(_Atomic uint32_t *word)
{
    munmap((void *)word, (size_t)sysconf(_SC_PAGESIZE));
}
