/* vulkan backend: a kernel that an invocation may do several of, as several.c has found it and several_write.c writes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_COARSEN_INTERNAL_H
#define BACKENDS_VULKAN_SPIRV_COARSEN_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/spirv/coarsen.h"

/* What an id is. */
enum vulkan_coarsen_kind {
    COARSEN_UNIFORM = 0,  /* the same for all items: types, constants, what is bound, labels on the way */
    COARSEN_UNSUPPORTED,  /* what no such kernel uses; the label of a block that no way leads to */
    COARSEN_ZERO,         /* the constant 0, of 32 bits */
    COARSEN_CONSTANT,     /* another constant of 32 bits */
    COARSEN_GLOBAL_ID,    /* the variable GlobalInvocationId */
    COARSEN_GLOBAL_ID_X,  /* a pointer to its first component */
    COARSEN_BEFORE_GUARD, /* the result of an instruction before some leave, or the label of a block there */
    COARSEN_AFTER_GUARD,  /* the same behind it */
    COARSEN_BRANCH_BLOCK, /* while the blocks behind a branch are looked for: the label of one */
};

struct vulkan_coarsen {
    const struct vulkan_shader *shader;
    uint32_t bound, items, group_size;
    const uint32_t *entry;      /* OpEntryPoint */
    const uint32_t *function;   /* OpFunction */
    uint8_t *kinds;             /* enum vulkan_coarsen_kind, by id */
    uint32_t global_id;         /* the variable GlobalInvocationId */
    uint32_t global_id_pointer; /* its type */
    uint32_t global_id_vector;  /* to what */
    uint32_t index_type;        /* of what */
    uint32_t local_id;          /* the variable LocalInvocationId; 0: the module has none */
    uint32_t local_id_pointer;  /* its type */
    bool lists_local_id;        /* the entry point does */
    bool has_int64; /* there are integers of 64 bits, of which OpSwitch has literals of two words */

    /* The instructions on the way, without its labels and branches; the first `before` are come to by all invocations. A branch whose
     * ways meet again stands among them whole: from OpSelectionMerge over all blocks, with labels, to the label where they meet,
     * and what is chosen there (OpPhi). */
    const uint32_t **steps;
    uint32_t count, guard_step;
    uint32_t guard, guard_type; /* the condition of the branch behind them, and bool; 0: there is none */
    bool guard_exits;           /* those leave for which it holds; else those for which it does not */
};

/* Where the ids among an instruction's words are, behind those of its type and its result. `first` 0: it is not one that such a kernel
 * may have. Words from `end` on are literals; so is `literal`, 0: none is. */
struct vulkan_coarsen_form {
    uint32_t first, end, literal;
    bool has_result;
};

struct vulkan_coarsen_form vulkan_coarsen_form(const uint32_t *at);

/* several_write.c: `result` has room for vulkan_coarsen_capacity() words. */
uint64_t vulkan_coarsen_capacity(const struct vulkan_coarsen *coarsen);
void vulkan_coarsen_write(const struct vulkan_coarsen *coarsen, struct vulkan_shader *result);

#endif
