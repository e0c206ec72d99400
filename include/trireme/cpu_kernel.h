/* Trireme: kernels for the cpu as C functions.
 *
 * A kernel is called for a range of work-groups. Several threads call it at the same time for different
 * ranges:
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
 * The argument block holds the arguments in the order of the parameters, each at its natural alignment as in
 * a C struct: a buffer as a struct trm_cpu_buffer, a scalar as itself, a block as its bytes at a multiple of
 * 16, an image, a sampler or a texel buffer as a struct trm_image_words (<trireme/image_layout.h>). The
 * argument block is aligned to 16 bytes and read-only.
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
    /* The number of the calling worker: 0 … workers−1. No two calls at the same time have the same number. */
    uint32_t worker;
    /* The range of linear group numbers: x + groups.x × (y + groups.y × z). */
    uint64_t begin;
    uint64_t end;
    uint32_t groups[3];     /* of the whole launch */
    uint32_t group_size[3]; /* work-items of a group */
    /* Memory of this call alone, for shared variables. Aligned to 64 bytes, not cleared. */
    void *scratch;
    /* The kernel's own shared and scratch bytes, which come first, and the launch's shared_bytes. */
    uint64_t scratch_bytes;
};

/* Run the groups from begin to end, end excluded. Returns 0. Any other number fails the launch: the stream
 * fails with TRM_ERROR_KERNEL and this native code, and groups that have not begun are skipped.
 *
 * Blocks   may, but keeps a worker busy meanwhile
 * Threads  several at the same time, each with another range and another `worker` */
typedef int32_t (*trm_cpu_kernel_fn)(const struct trm_cpu_groups *groups, const void *arguments);

struct trm_cpu_kernel {
    const char *name;
    trm_cpu_kernel_fn function;
    const struct trm_parameter *parameters;
    uint32_t parameter_count;
    uint32_t group_size[3]; /* 0: given at launch */
    uint32_t shared_bytes;
    uint32_t grain; /* how many groups are worth another thread; 0: measured */
    /* Memory that a call needs in addition to shared_bytes; it begins behind them, at a multiple of 64. */
    uint32_t scratch_bytes;
    uint32_t reserved;
};

/* The table that a shared object of kernels exports, under the name "trm_cpu_kernels_v1". */
struct trm_cpu_kernel_table {
    uint32_t struct_size;
    uint32_t kernel_size; /* sizeof(struct trm_cpu_kernel) as the object was compiled */
    uint32_t count;
    uint32_t reserved;
    const struct trm_cpu_kernel *kernels;
    /* Digest of the shader that the code was made from: 32 bytes, as in struct trm_module_source of
     * <trireme/backend.h>. NULL for code that was written by hand. */
    const uint8_t *digest;
};

/* Why a call of a kernel failed: an index outside of a variable. */
struct trm_cpu_fault {
    uint32_t struct_size;
    uint32_t reserved;
    const char *what;  /* the variable: "shared variable 'tile'" */
    const char *where; /* its place in the source: "blur.comp:12"; "" when it is not known */
    int64_t index;
    uint64_t size; /* how many elements the variable has */
    /* With TRM_TRANSLATE_BARRIERS `what` may be "barrier", "round", "branch", "case" or "loop": only `index`
     * of the `size` work-items of a group came to a barrier, or were left in a loop at its barrier, or took a
     * branch that has one, a case of a switch that has one, or a branch that leaves a loop with one. */
};

/* A shared object of kernels may export a function "trm_cpu_fault_v1" beside its table. After a call of one
 * of its kernels has returned 1, it is called in the same thread, and the sentence of the failure says what
 * it answers. The texts last as long as the shared object. */
typedef const struct trm_cpu_fault *(*trm_cpu_fault_fn)(void);

/* A shared object of kernels that check addresses may export a function "trm_cpu_live_v1" beside its table.
 * It is called in the same thread before each call of one of its kernels, with the buffers whose addresses
 * the program has asked for (trm_buffer_address()) and that live: sorted by address, without overlaps. They
 * last as long as the call. */
typedef void (*trm_cpu_live_fn)(const struct trm_cpu_buffer *live, uint64_t count);

#endif
