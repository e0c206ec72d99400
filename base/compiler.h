/* Hints to the compiler, and the cast from a member to the structure around it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stddef.h>

/* Branch hints for hot paths: the compiler lays the expected side out in a straight line. */
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A function that runs rarely: kept out of its callers and out of their cache lines. */
#define COLD __attribute__((cold, noinline))

/* The structure `type` whose member `member` is at `pointer`. */
#define base_container_of(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#endif
