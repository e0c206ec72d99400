/* cpu backend: modules and kernels.
 *
 *     module.c        the table: loading, unloading, finding kernels
 *     kernel_table.c  tables of C functions, of the program or of a shared object, made into modules
 *     portable.c      SPIR-V, made into shared objects: found beside the module or in the cache, or compiled
 *     compile.c       running the C compiler; compile_flags.c the flags for it
 *     compiler.c      finding the C compiler
 *
 * A module does not change after it is loaded, except the measured costs of its kernels, which are atomics.
 * So this room has no locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_MODULE_H
#define BACKENDS_CPU_MODULE_MODULE_H

#include "backends/cpu/device/device.h"

#include <trireme/cpu_kernel.h>

struct trm_backend_kernel {
    struct trm_cpu_kernel source; /* a copy of the author's entry */
    struct trm_backend_module *module;
    uint64_t block_size;              /* bytes of the argument block */
    _Atomic uint64_t ticks_per_group; /* measured, times 256; 0 before the first launch */
    _Atomic uint32_t launches;        /* approximate: tells when to measure again */
};

struct trm_backend_module {
    struct trm_backend_instance *instance;
    void *library;          /* of dlopen(); NULL for functions of the program */
    trm_cpu_fault_fn fault; /* what a kernel's code 1 means; NULL: unknown */
    trm_cpu_live_fn live;   /* tells the kernels which buffers live; NULL: they do not check addresses */
    bool is_translated;     /* made by the translator, whose error codes its kernels return */
    uint32_t count;
    uint64_t size; /* bytes of this struct with its kernels */
    struct trm_backend_kernel kernels[];
};

/* Where an argument with `alignment` goes in a block that is filled up to `offset`. */
static inline uint64_t cpu_argument_offset(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) & ~(alignment - 1);
}

extern const struct trm_module_ops cpu_module_ops;

#endif
