/* Host memory, through an allocator that the program may have given.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ALLOCATE_H
#define BASE_ALLOCATE_H

#include <stddef.h>
#include <trireme/context.h>

/* malloc() and free() behind the interface of a program's allocator: the default. */
extern const struct trm_allocator base_system_allocator;

/* Zeroed memory, aligned for any type; NULL when there is none (the last error stays as it is). size is
 * never 0. */
void *base_allocate(const struct trm_allocator *allocator, size_t size);

/* The same at an alignment (a power of two); contents undefined. */
void *base_allocate_aligned(const struct trm_allocator *allocator, size_t size, size_t alignment);

/* `memory` may be NULL; size is what was asked for. */
void base_free(const struct trm_allocator *allocator, void *memory, size_t size);

/* A copy of a string, to be released with strlen + 1. */
char *base_copy_text(const struct trm_allocator *allocator, const char *text);

#endif
