/* Words that tell the child of a fork from its parent.
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

#define NO_ADVICE (-1)

static size_t whole_pages(uint32_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (count * sizeof(uint32_t) + page - 1) / page * page;
}

/* qemu-user answers advice with success and drops it, so an answer only counts where nonsense is refused. */
static bool ask_for_wiping(void *memory, size_t size)
{
    return madvise(memory, size, NO_ADVICE) != 0 && madvise(memory, size, MADV_WIPEONFORK) == 0;
}

_Atomic uint32_t *base_fork_words_create(uint32_t count)
{
    size_t size  = whole_pages(count);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    _Atomic uint32_t *words = memory;
    atomic_store(&words[0], ask_for_wiping(memory, size) ? BASE_FORK_GUARDED : BASE_FORK_PLAIN);
    return words;
}

void base_fork_words_destroy(_Atomic uint32_t *words, uint32_t count)
{
    munmap((void *)words, whole_pages(count));
}

/* In a child word 0 is zero where pages are wiped; the kernel wipes them again in the child's children. */
uint32_t base_fork_mark(const _Atomic uint32_t *words)
{
    return atomic_load(&words[0]) == BASE_FORK_PLAIN ? BASE_FORK_PLAIN : BASE_FORK_GUARDED;
}
