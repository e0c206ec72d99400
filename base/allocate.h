/* Host memory from the allocator of the program, or from malloc().
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ALLOCATE_H
#define BASE_ALLOCATE_H

#include <stddef.h>
#include <trireme/context.h>

/* The default: malloc() and free(). */
extern const struct trm_allocator base_system_allocator;

/* Zeroed memory, aligned for any type. NULL without memory; the last error stays as it is. size is not 0. */
void *base_allocate(const struct trm_allocator *allocator, size_t size);

/* The same at an alignment (a power of two), not zeroed. */
void *base_allocate_aligned(const struct trm_allocator *allocator, size_t size, size_t alignment);

/* `memory` may be NULL; `size` is the size that was allocated. */
void base_free(const struct trm_allocator *allocator, void *memory, size_t size);

/* A copy of a string; free it with size strlen + 1. */
char *base_copy_text(const struct trm_allocator *allocator, const char *text);

#endif
