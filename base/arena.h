/* An arena: memory that is freed all at once. The compiler and searches use one for each job.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_allocator;
struct base_arena_block;

struct base_arena {
    const struct trm_allocator *allocator;
    struct base_arena_block *blocks; /* newest first */
    size_t used;                     /* bytes of the newest block */
    size_t total;                    /* bytes of all blocks */
    /* An allocation failed; callers check this once, at the end of a step. */
    bool failed;
    bool is_full; /* it failed at BASE_ARENA_LIMIT, not for lack of memory */
};

/* The most bytes of one arena: a hostile module fails before it uses up the machine. */
#define BASE_ARENA_LIMIT ((size_t)1 << 30)

/* Sets the error of an arena that has failed: UNSUPPORTED at the limit, else OUT_OF_HOST_MEMORY. `doing` is
 * like "reading SPIR-V". */
int32_t base_arena_fail(const struct base_arena *arena, const char *doing);

void base_arena_init(struct base_arena *arena, const struct trm_allocator *allocator);
void base_arena_fini(struct base_arena *arena);

/* `count` elements of `size` bytes, zeroed, aligned for any type; count may be 0. NULL, with failed set,
 * without memory and where the product overflows. */
void *base_arena_allocate(struct base_arena *arena, size_t count, size_t size);
char *base_arena_text(struct base_arena *arena, const char *text, size_t length);
char *base_arena_format(struct base_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes room for one more element in the list that `list_pointer` points to, which has `count` of
 * `capacity` elements of `size` bytes; the capacity doubles. False without memory. */
bool base_arena_grow(struct base_arena *arena, void *list_pointer, uint32_t count, uint32_t *capacity,
                     size_t size);

#endif
