/* Host memory from the allocator of the program, or from malloc().
 * SPDX-License-Identifier: MIT
 */
#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

void *base_allocate(const struct trm_allocator *allocator, size_t size)
{
    void *memory = base_allocate_aligned(allocator, size, _Alignof(max_align_t));
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

void *base_allocate_aligned(const struct trm_allocator *allocator, size_t size, size_t alignment)
{
    return allocator->allocate(allocator->user, size, alignment);
}

void base_free(const struct trm_allocator *allocator, void *memory, size_t size)
{
    if (memory != NULL)
        allocator->release(allocator->user, memory, size);
}

char *base_copy_text(const struct trm_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy  = base_allocate_aligned(allocator, size, 1);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

static void *system_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (alignment <= _Alignof(max_align_t))
        return malloc(size);
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static void system_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

const struct trm_allocator base_system_allocator = {
    .allocate = system_allocate,
    .release  = system_release,
};
