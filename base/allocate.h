/* The one place where the library takes host memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ALLOCATE_H
#define BASE_ALLOCATE_H

#include <stddef.h>
#include <trireme/context.h>

struct core_context;

/* Zeroed memory, aligned for any type; NULL (and no last error) when there is none. size is
 * never 0. */
void *core_allocate(struct core_context *context, size_t size);

/* The same at an alignment (a power of two); contents undefined. */
void *core_allocate_aligned(struct core_context *context, size_t size, size_t alignment);

/* `memory` may be NULL; size is what was asked for. */
void core_release(struct core_context *context, void *memory, size_t size);

/* A copy of a string, to be released with strlen + 1. */
char *core_copy_text(struct core_context *context, const char *text);

/* malloc() behind the interface of a program's allocator: what a context uses when it is given
 * none. */
extern const struct trm_allocator core_system_allocator;

#endif
