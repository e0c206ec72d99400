/* Kernels: one entry of a module.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_KERNEL_H
#define CORE_MODULE_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <trireme/backend.h>

#include "base/base.h"
#include "core/module/module_object.h"

/* So many pairs of arguments are looked at for overlaps, which takes less than a second in all: those of
 * millions of launches with a few arguments, or of 32 launches with 1024 buffers in arrays. */
#define CORE_OVERLAP_PAIRS (1 << 24)

struct core_kernel {
    struct core_object object;
    struct core_module *module; /* holds a reference */
    struct trm_backend_kernel *kernel;
    const struct trm_parameter
        *parameters;  /* of the module's shader; of native code: a copy, own_bytes large */
    size_t own_bytes; /* 0: they are not the kernel's own */
    uint32_t parameter_count;
    /* With arrays: the parameters as the backend has them (spirv_flatten()); else NULL and 0. */
    const struct trm_parameter *flat;
    uint32_t flat_count;
    uint32_t group_size[3]; /* the kernel's own; all zero: given at launch */
    uint32_t shared_bytes;
    _Atomic int32_t overlap_pairs; /* still to look at; 0 or less: none, as without kernel.bounds */
    char *name;
};

static inline struct core_kernel *core_kernel_find(struct trm_kernel *handle)
{
    return core_object_find(handle, CORE_KERNEL);
}

/* What the kernel's module was loaded from, as the backend got it. False: it is native code. */
bool core_kernel_source(const struct core_kernel *kernel, struct trm_module_source *source);

/* The SHA-256 of a kernel's code, constants and name. False: it is native code, which has none. */
bool core_kernel_digest(const struct core_kernel *kernel, uint8_t digest[BASE_SHA256_BYTES]);

/* core_stream_commit_work() of a launch. */
int32_t core_kernel_commit_observed(struct core_stream *stream, uint64_t value, int32_t answer,
                                    const struct core_kernel *kernel);
static inline int32_t core_kernel_commit(struct core_stream *stream, uint64_t value, int32_t answer,
                                         const struct core_kernel *kernel)
{
    if (!core_stream_is_unobserved(stream, answer))
        return core_kernel_commit_observed(stream, value, answer, kernel);
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    return TRM_OK;
}

#endif
