/* vulkan backend: loops that unroll.c has found and unroll_write.c writes.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_UNROLL_INTERNAL_H
#define BACKENDS_VULKAN_SPIRV_UNROLL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/spirv/unroll.h"

/* With VULKAN_UNROLL_AUTO a turn has no fewer rounds. */
#define VULKAN_UNROLL_LEAST 4u

struct vulkan_unroll_loop {
    const uint32_t *header; /* its OpLabel */
    const uint32_t *merge;  /* its OpLoopMerge */
    uint32_t body;          /* label of the block behind the header */
    uint32_t latch;         /* label of the block that branches to the header */
    uint32_t factor;
    uint32_t counter, bound, step, ahead; /* runs while counter + ahead < bound, or <= bound */
    uint32_t bound_type, bool_type;
    bool is_signed, is_inclusive;
    bool stores;          /* the body writes memory */
    uint32_t block_count; /* without the header */

    /* New ids: blocks, constants for the limit, and the first of four values: that the bound is low, the
     * difference, the limit, and the condition of the loop. */
    uint32_t main, again, end, rest;
    uint32_t low, least, distance;
    uint32_t limit;
};

/* What is known about an id. */
struct vulkan_unroll_id {
    const uint32_t *at; /* the instruction that makes it; NULL: none, or in another function */
    uint32_t loop;      /* 1 + index of the unrolled loop in which it is made; 0: none */
    uint32_t clones;    /* the first of its `factor` + 1 clones; the last one is for the limit */
    uint32_t header_of; /* of the label of a header: 1 + index of the unrolled loop; 0: none */
    bool stays;         /* made in a header, of values that stay while the loop runs */
};

struct vulkan_unroll {
    const struct vulkan_shader *shader;
    uint32_t wanted; /* factor, or VULKAN_UNROLL_AUTO */
    uint32_t most;   /* with VULKAN_UNROLL_AUTO */
    uint32_t bound, next_id;
    struct vulkan_unroll_id *ids;
    struct vulkan_unroll_loop *loops;
    uint32_t loop_count, loop_capacity; /* the loops are in the order of the module */
};

/* unroll_write.c: `words` has room for vulkan_unroll_capacity() words; returns how many were written. */
uint64_t vulkan_unroll_capacity(const struct vulkan_unroll *unroll);
uint64_t vulkan_unroll_write(const struct vulkan_unroll *unroll, uint32_t *words);

#endif
