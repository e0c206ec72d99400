/* vulkan backend: a kernel that coarsen.c has analyzed and coarsen_write.c writes.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_COARSEN_INTERNAL_H
#define BACKENDS_VULKAN_SPIRV_COARSEN_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/spirv/coarsen.h"

/* What an id stands for. */
enum vulkan_coarsen_kind {
    COARSEN_UNIFORM = 0,  /* the same for all items: types, constants, resources, labels of the main path */
    COARSEN_UNSUPPORTED,  /* not supported; also labels of unreachable blocks */
    COARSEN_ZERO,         /* the 32-bit constant 0 */
    COARSEN_CONSTANT,     /* another 32-bit constant */
    COARSEN_GLOBAL_ID,    /* the variable GlobalInvocationId */
    COARSEN_GLOBAL_ID_X,  /* a pointer to its first component */
    COARSEN_BEFORE_GUARD, /* result or label before the guard */
    COARSEN_AFTER_GUARD,  /* result or label after the guard */
    COARSEN_BRANCH_BLOCK, /* label of a block of the selection that is being searched */
};

struct vulkan_coarsen {
    const struct vulkan_shader *shader;
    uint32_t bound, items, group_size;
    const uint32_t *entry;      /* OpEntryPoint */
    const uint32_t *function;   /* OpFunction */
    uint8_t *kinds;             /* enum vulkan_coarsen_kind, by id */
    uint32_t global_id;         /* the variable GlobalInvocationId */
    uint32_t global_id_pointer; /* its pointer type */
    uint32_t global_id_vector;  /* its vector type */
    uint32_t index_type;        /* its component type */
    uint32_t local_id;          /* the variable LocalInvocationId; 0: none in the module */
    uint32_t local_id_pointer;  /* its pointer type */
    bool lists_local_id;        /* the entry point lists it */
    bool has_int64; /* the module has 64-bit integers, so that OpSwitch may have literals of two words */

    /* The instructions of the main path, without its labels and branches; the first `guard_step` run for all
     * invocations. A selection is listed whole: OpSelectionMerge, all blocks with labels, the label of the
     * merge block and its OpPhis. */
    const uint32_t **steps;
    uint32_t count, guard_step;
    uint32_t guard, guard_type; /* the condition of the early return, and its type; 0: none */
    bool guard_exits;           /* invocations return if `guard` is true; else if it is false */
};

/* Which words of an instruction are ids, after those of type and result: `first` to `end`, except `literal`
 * (0: none). `first` 0: the instruction is not supported. */
struct vulkan_coarsen_form {
    uint32_t first, end, literal;
    bool has_result;
};

struct vulkan_coarsen_form vulkan_coarsen_form(const uint32_t *at);

/* coarsen_write.c: `result` has room for vulkan_coarsen_capacity() words. */
uint64_t vulkan_coarsen_capacity(const struct vulkan_coarsen *coarsen);
void vulkan_coarsen_write(const struct vulkan_coarsen *coarsen, struct vulkan_shader *result);

#endif
