/* cpu backend: modules and kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_MODULE_H
#define BACKENDS_CPU_MODULE_MODULE_H

#include "backends/cpu/device/device.h"

#include <trireme/cpu_kernel.h>

struct trm_backend_kernel {
    struct trm_cpu_kernel source; /* a copy, as the author wrote it */
    struct trm_backend_module *module;
    uint64_t block_size;              /* bytes of the argument block */
    _Atomic uint64_t ticks_per_group; /* measured, times 256; 0 before the first launch */
    _Atomic uint32_t launches;        /* roughly: says when to measure again */
};

struct trm_backend_module {
    struct trm_backend_instance *instance;
    void *library;      /* of dlopen(); NULL for functions of the program */
    bool is_translated; /* the codes it fails with are the translator's */
    uint32_t count;
    uint64_t size; /* bytes of this */
    struct trm_backend_kernel kernels[];
};

/* Where an argument of `size` bytes goes in a block that is filled up to `offset`. */
static inline uint64_t cpu_argument_offset(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) & ~(alignment - 1);
}

#endif
