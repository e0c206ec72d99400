/* Memory that is given back all at once: what is made while a shader is read and translated.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct trm_allocator;
struct base_arena_block;

struct base_arena {
    const struct trm_allocator *allocator;
    struct base_arena_block *blocks;
    size_t used; /* bytes taken from the newest block */
    size_t total;
    int32_t failed; /* there was no memory at some time: checked once at the end of a step */
};

/* Bytes that one arena may take in all: a hostile module ends in OUT_OF_HOST_MEMORY, not in the machine's. */
#define BASE_ARENA_MOST ((size_t)1 << 30)

void base_arena_init(struct base_arena *arena, const struct trm_allocator *allocator);
void base_arena_fini(struct base_arena *arena);

/* Zeroed, aligned for any type. NULL, and `failed` is set, when there is no memory or count x size overflows;
 * count may be 0. */
void *base_arena_allocate(struct base_arena *arena, size_t count, size_t size);
char *base_arena_text(struct base_arena *arena, const char *text, size_t length);
char *base_arena_format(struct base_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Make room for one more in a list of `count` of `capacity` elements of `size` bytes; doubles. 0 without
 * memory. */
int32_t base_arena_grow(struct base_arena *arena, void *list_pointer, uint32_t count, uint32_t *capacity,
                        size_t size);

#endif
