/* cuda backend: modules and kernels.
 *
 *     CUBIN   a cubin, or a fat binary, of which the driver takes what fits: loaded as it is
 *     PTX     compiled by the driver
 *     CUDA    CUDA C, compiled by NVRTC for the device's architecture; kept in the cache
 *     SPIRV   in this order: the fat binary that lies beside a named module (stem + variant + ".fatbin"), which holds
 *             code for several architectures and PTX for later ones; the cache; the core's translation to CUDA C,
 *             compiled by NVRTC
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MODULE_MODULE_H
#define CUDA_MODULE_MODULE_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_module_ops cuda_module_ops;

struct cuda_names;
struct cuda_interface;

struct trm_backend_module {
    struct trm_backend_device *device;
    CUmodule handle;
    uint64_t size;                      /* bytes of this */
    pthread_mutex_t lock;               /* guards the list that follows */
    struct trm_backend_kernel *kernels; /* of SPIRV all of them, of others those that were asked for */
    struct cuda_names *names; /* native.c; of the others: what kernels there are, where the driver says so */
    struct cuda_interface *interface; /* native.c; what the program says of them */
    char name[];                      /* for messages */
};

/* Where things stand in the bytes of a launch (struct cuda_launch): argument number i at offsets[i], where a buffer is its
 * address (8 bytes), a scalar its `size` bytes and a block its bytes; nobody reads what is between them. With wants_sizes the bytes of
 * each buffer's span follow, in the buffers' order, as a uint64_t each from sizes_offset on. Where a thread does several items, a
 * launch has groups / several groups in x, rounded up, and the number of groups that were asked for as a uint32_t at groups_offset.
 *
 * The function's own parameters begin at entries[], in their order: kernelParams[i] = bytes + entries[i]. */
struct trm_backend_kernel {
    struct trm_backend_module *module;
    CUfunction function;
    const char *name;
    const struct trm_parameter *parameters;
    uint32_t parameter_count;
    const uint32_t *offsets; /* parameter_count of them */
    const uint32_t
        *masks; /* as many; bits that the address of a buffer must not have. NULL: there are none */
    const uint32_t *entries;
    uint32_t entry_count;
    uint32_t sizes_offset, groups_offset;
    uint32_t coarsening;     /* items of a thread; 0: a thread is an item */
    uint32_t argument_bytes; /* all of them */
    bool wants_sizes;        /* the bytes of each buffer follow */
    uint32_t group_size[3];
    uint32_t max_group_items; /* registers allow so many */
    uint32_t shared_bytes;    /* its own */
    uint32_t dynamic_bytes;   /* of these, what a launch must ask for besides the grid's shared_bytes */

    uint64_t serial;                 /* of the device, which never has it twice: replay.c */
    struct trm_backend_kernel *next; /* of the module */
    uint64_t size;                   /* bytes of this, with what it points to */
};

/* ---- module.c: a module without code and kernels; and its end, with all that it has by then. `module` may be NULL. */

int32_t cuda_module_create(struct trm_backend_device *device, const char *name,
                           struct trm_backend_module **module);
void cuda_module_destroy(struct trm_backend_module *module);

/* ---- image.c: code into the driver */

/* Loads module->handle. `is_refused`: the driver has no use for this code, but may have one for other code of the same
 * kernels; answered together with the error. `bytes` end with a zero. */
int32_t cuda_image_load(struct trm_backend_module *module, const void *bytes, bool *is_refused);

/* Does an image of that many bytes hold all that its headers say? The driver is not told how long it is. Text is none of those
 * that are looked at. */
bool cuda_image_is_whole(const void *bytes, uint64_t size);

/* ---- kernel.c: functions as kernels, with the context entered. They are added to the module's list, whose lock is held where
 * somebody else may see it. */

/* A function that was translated, or has the parameters of one; several: items of a thread. Errors: ABI where it has not. */
int32_t cuda_kernel_translated(struct trm_backend_module *module, const struct trm_kernel_info *info,
                               uint32_t coarsening, CUfunction function);

/* One of native code; info: what the program says of it, or NULL. Errors: UNSUPPORTED where neither it nor the driver does;
 * INVALID_ARGUMENT where they do not agree. */
int32_t cuda_kernel_native(struct trm_backend_module *module, const char *name,
                           const struct trm_kernel_info *info, CUfunction function);

void cuda_kernel_destroy(struct trm_backend_kernel *kernel);

/* ---- native.c, portable.c: loading */

int32_t cuda_native_load(struct trm_backend_device *device, const struct trm_module_source *source,
                         struct trm_backend_module **module);
int32_t cuda_native_kernel(struct trm_backend_module *module, const char *name,
                           struct trm_backend_kernel **kernel);
const char *cuda_native_name(const struct trm_backend_module *module, uint32_t index);
void cuda_native_release(struct trm_backend_module *module);

int32_t cuda_portable_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module);
int32_t cuda_portable_build(struct trm_backend_device *device, const struct trm_module_source *source,
                            const char *path);

#endif
