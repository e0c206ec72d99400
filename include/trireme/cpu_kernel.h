/* Trireme: kernels for the cpu as C functions. The sibling of backend.h for authors of kernels.
 *
 * A kernel is called for a range of work-groups, on several threads at once for different ranges:
 *
 *     struct saxpy_arguments {
 *         struct trm_cpu_buffer x, y;
 *         float a;
 *         uint32_t n;
 *     };
 *
 *     static int32_t saxpy(const struct trm_cpu_groups *groups, const void *block)
 *     {
 *         const struct saxpy_arguments *args = block;
 *         const float *x = args->x.data;
 *         float *y = args->y.data;
 *         uint64_t items = groups->group_size[0];
 *
 *         for (uint64_t i = groups->begin * items; i < groups->end * items && i < args->n; i++)
 *             y[i] += args->a * x[i];
 *         return 0;
 *     }
 *
 * The argument block holds the arguments in the order of the parameters, each at its natural
 * alignment as in a C struct: a buffer is a struct trm_cpu_buffer, a scalar itself, a block its bytes at a
 * multiple of 16. It is 16-byte aligned and read-only.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_CPU_KERNEL_H
#define TRIREME_CPU_KERNEL_H

#include <trireme/api.h>
#include <trireme/kernel.h>

struct trm_cpu_buffer {
    void *data;
    uint64_t size; /* bytes of the span */
};

struct trm_cpu_groups {
    uint32_t struct_size;
    /* which thread: 0 … workers−1; no two threads at work at once have the same */
    uint32_t worker;
    /* the range of linear group numbers: x + groups.x × (y + groups.y × z) */
    uint64_t begin;
    uint64_t end;
    uint32_t groups[3];     /* of the whole launch */
    uint32_t group_size[3]; /* work-items of a group */
    /* this call's own memory for shared variables and the like; 64-byte aligned; not cleared */
    void *scratch;
    /* the launch's shared_bytes + the kernel's own shared and scratch bytes, which come first */
    uint64_t scratch_bytes;
};

/* 0, or any other number to fail the launch: the stream then fails with TRM_ERROR_KERNEL and
 * this native code, and the groups not yet begun are skipped. */
typedef int32_t (*trm_cpu_kernel_fn)(const struct trm_cpu_groups *groups, const void *arguments);

struct trm_cpu_kernel {
    const char *name;
    trm_cpu_kernel_fn function;
    const struct trm_parameter *parameters;
    uint32_t parameter_count;
    uint32_t group_size[3]; /* 0: given at launch */
    uint32_t shared_bytes;
    uint32_t grain;         /* groups that are worth a thread of their own; 0: found by measuring */
    uint32_t scratch_bytes; /* memory a call needs besides shared_bytes, behind it at a multiple of 64 */
    uint32_t reserved;
};

/* What a shared object of kernels exports, under the name "trm_cpu_kernels_v1". */
struct trm_cpu_kernel_table {
    uint32_t struct_size;
    uint32_t kernel_size; /* sizeof(struct trm_cpu_kernel) as the object was compiled */
    uint32_t count;
    uint32_t reserved;
    const struct trm_cpu_kernel *kernels;
    /* What it was made of: 32 bytes, the SHA-256 of the SPIR-V and then of what says its constants, as
     * struct trm_module_source of <trireme/backend.h> has it; NULL for code that was written by hand. */
    const uint8_t *digest;
};

#endif
