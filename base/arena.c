/* An arena: memory that is freed all at once.
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <trireme/status.h>

#include "base/allocate.h"
#include "base/error.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGNMENT _Alignof(max_align_t)

struct base_arena_block {
    struct base_arena_block *next;
    size_t size; /* of data */
    _Alignas(max_align_t) unsigned char data[];
};

void base_arena_init(struct base_arena *arena, const struct trm_allocator *allocator)
{
    *arena = (struct base_arena){.allocator = allocator};
}

void base_arena_fini(struct base_arena *arena)
{
    while (arena->blocks != NULL) {
        struct base_arena_block *block = arena->blocks;
        arena->blocks                  = block->next;
        base_free(arena->allocator, block, sizeof(*block) + block->size);
    }
    base_arena_init(arena, arena->allocator);
}

int32_t base_arena_fail(const struct base_arena *arena, const char *doing)
{
    if (!arena->is_full)
        return base_fail_memory(doing);
    return base_fail(TRM_ERROR_UNSUPPORTED, "%s takes more than %zu MiB of memory, the most for one module",
                     doing, BASE_ARENA_LIMIT >> 20);
}

static void *fail(struct base_arena *arena)
{
    arena->failed = true;
    return NULL;
}

static bool add_block(struct base_arena *arena, size_t minimum)
{
    size_t size = minimum > BLOCK_BYTES ? minimum : BLOCK_BYTES;

    arena->is_full = size > BASE_ARENA_LIMIT - arena->total;
    if (arena->is_full)
        return false;
    struct base_arena_block *block = base_allocate(arena->allocator, sizeof(*block) + size);
    if (block == NULL)
        return false;
    block->size   = size;
    block->next   = arena->blocks;
    arena->blocks = block;
    arena->used   = 0;
    arena->total += size;
    return true;
}

void *base_arena_allocate(struct base_arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > BASE_ARENA_LIMIT) {
        arena->is_full = true;
        return fail(arena);
    }
    bytes = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->blocks == NULL || bytes > arena->blocks->size - arena->used)
        if (!add_block(arena, bytes))
            return fail(arena);
    void *memory = arena->blocks->data + arena->used;
    arena->used += bytes;
    return memory;
}

char *base_arena_text(struct base_arena *arena, const char *text, size_t length)
{
    char *copy = base_arena_allocate(arena, length + 1, 1);

    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

char *base_arena_format(struct base_arena *arena, const char *format, ...)
{
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? fail(arena) : base_arena_allocate(arena, (size_t)length + 1, 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

bool base_arena_grow(struct base_arena *arena, void *list_pointer, uint32_t count, uint32_t *capacity,
                     size_t size)
{
    void *old;

    if (count < *capacity)
        return true;
    uint32_t more = *capacity < 4 ? 8 : *capacity * 2;
    if (more <= *capacity) {
        arena->is_full = arena->failed = true;
        return false;
    }
    void *list = base_arena_allocate(arena, more, size);
    if (list == NULL)
        return false;
    memcpy(&old, list_pointer, sizeof(old));
    if (count != 0)
        memcpy(list, old, count * size);
    memcpy(list_pointer, &list, sizeof(list));
    *capacity = more;
    return true;
}
