/* The one place where the library takes host memory.
 * SPDX-License-Identifier: MIT
 */
#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

#include "core/object/context.h"

void *core_allocate(struct core_context *context, size_t size)
{
    void *memory = core_allocate_aligned(context, size, _Alignof(max_align_t));
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

void *core_allocate_aligned(struct core_context *context, size_t size, size_t alignment)
{
    return context->allocator.allocate(context->allocator.user, size, alignment);
}

void core_release(struct core_context *context, void *memory, size_t size)
{
    if (memory != NULL)
        context->allocator.release(context->allocator.user, memory, size);
}

char *core_copy_text(struct core_context *context, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy  = core_allocate_aligned(context, size, 1);
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

const struct trm_allocator core_system_allocator = {
    .allocate = system_allocate,
    .release  = system_release,
};
