/* An allocator for tests: counts what is taken and given back, and fails when it is told to.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COUNTING_H
#define TESTS_UNIT_COUNTING_H

#include "tests/check.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <trireme/trireme.h>

struct counting {
    _Atomic int64_t blocks;      /* alive */
    _Atomic int64_t bytes;       /* alive */
    _Atomic int64_t allocations; /* asked for, also in vain */
    int64_t fail_at;             /* the number of the allocation that fails, from 1 on; 0: none */
    int64_t fail_from;           /* the same, and all after it */
};

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    struct counting *counting = user;
    void *memory              = NULL;
    int64_t number            = atomic_fetch_add(&counting->allocations, 1) + 1;
    if (number == counting->fail_at || (counting->fail_from != 0 && number >= counting->fail_from))
        return NULL;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0)
        return NULL;
    atomic_fetch_add(&counting->blocks, 1);
    atomic_fetch_add(&counting->bytes, (int64_t)size);
    return memory;
}

static void counting_release(void *user, void *memory, size_t size)
{
    struct counting *counting = user;
    free(memory);
    atomic_fetch_sub(&counting->bytes, (int64_t)size);
    /* Last: a test that waits until no block is left reads the bytes then. */
    atomic_fetch_sub(&counting->blocks, 1);
}

static inline struct trm_allocator counting_allocator(struct counting *counting)
{
    struct trm_allocator allocator = {counting_allocate, counting_release, counting};
    return allocator;
}

/* Everything that was taken has come back, with the sizes it was taken by. */
static inline void counting_is_balanced(struct counting *counting)
{
    ck_assert_int_eq(atomic_load(&counting->blocks), 0);
    ck_assert_int_eq(atomic_load(&counting->bytes), 0);
}

#endif
