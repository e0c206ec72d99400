/* cuda backend, room `module`: modules and kernels.
 *
 *     CUBIN   a cubin, or a fat binary of which the driver takes the part that fits; loaded as it is
 *     PTX     compiled by the driver
 *     CUDA    CUDA C, compiled by NVRTC for the device's architecture; cached
 *     SPIRV   the first of: the fat binary beside a named module (stem + variant + ".fatbin"), which holds
 *             code for several architectures and PTX for later ones; the cache; the core's translation to
 *             CUDA C, compiled by NVRTC
 *
 *     module.c    modules and the table
 *     native.c    loads CUBIN, PTX and CUDA modules and finds their kernels
 *     portable.c  loads SPIRV modules; builds code for `trireme kc`
 *     kernel.c    makes kernels of the driver's functions, and lays out their arguments
 *     image.c     loads code into the driver
 *     trailer.c   the last line of code made from a shader, which says what it was made from
 *     compile.c   compiles CUDA C, through the cache
 *     compiler.c  finds and opens NVRTC
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
    uint64_t size;                      /* bytes of this allocation */
    pthread_mutex_t lock;               /* guards the list that follows */
    struct trm_backend_kernel *kernels; /* SPIRV: all of them; others: those that were asked for */
    /* native.c: the kernels that there are, where the driver tells; NULL for SPIRV */
    struct cuda_names *names;
    struct cuda_interface *interface; /* native.c: what the program says of them; NULL for SPIRV */
    bool notes_faults;                /* translated with bounds: kernels note accesses that are outside */
    char name[];                      /* for messages */
};

/* How a function is launched; 0: the code does not say. */
struct cuda_launch_shape {
    uint32_t coarsening;   /* items that a thread computes */
    bool is_choice;        /* a launch of all groups has a thread for each item */
    uint32_t threads;      /* of a block */
    uint32_t shared_bytes; /* dynamic shared memory */
};

/* A kernel, with the layout of a launch's arguments (struct cuda_launch, `bytes`). Argument i is at
 * offsets[i]: a buffer as its address (8 bytes), a scalar as its `size` bytes, a block as its bytes. What
 * lies between is undefined. If wants_sizes, the byte size of each buffer's span follows as a uint64_t
 * from sizes_offset on, in the order of the buffers. If a thread computes several items (coarsening), a
 * launch that fills coarsen_from groups has groups / coarsening groups in x, rounded up, and the number of
 * groups that were asked for is a uint32_t at groups_offset. If notes_faults, the address of the stream's
 * record of faults is at fault_offset (stream/fault.h).
 *
 * The function's own parameters begin at entries[], in their order: kernelParams[i] = bytes + entries[i]. */
struct trm_backend_kernel {
    struct trm_backend_module *module;
    CUfunction function;
    /* For launches whose sampled images all have texture objects, or whose threads compute several items
     * where the code leaves that to them. NULL: there is none. */
    CUfunction special;
    const char *name;
    const struct trm_parameter *parameters;
    uint32_t parameter_count;
    const uint32_t *offsets; /* parameter_count of them */
    const uint32_t *masks;   /* as many: bits that a buffer's address must not have; NULL: there are none */
    const uint32_t *entries;
    uint32_t entry_count;
    uint32_t sizes_offset, groups_offset, fault_offset;
    uint32_t coarsening;     /* items that a thread computes; 0: the code is not coarsened */
    uint64_t coarsen_from;   /* with fewer groups, full ones, a thread computes one item */
    uint32_t argument_bytes; /* in all */
    bool wants_sizes;        /* the bytes of each buffer follow */
    bool notes_faults;       /* as the module */
    uint32_t group_size[3];
    uint32_t threads;         /* of a block, whatever the group has; 0: as many as the group has items */
    uint32_t max_group_items; /* as the registers allow */
    uint32_t shared_bytes;    /* static, and dynamic_bytes */
    uint32_t dynamic_bytes;   /* of these, what a launch must ask for besides its own shared_bytes */

    uint64_t serial;                 /* unique in the device */
    struct trm_backend_kernel *next; /* in the module */
    uint64_t size;                   /* bytes of this, with what it points to */
};

/* ---- module.c -------------------------------------------------------------------------------- */

int32_t cuda_module_create(struct trm_backend_device *device, const char *name,
                           struct trm_backend_module **module);
void cuda_module_destroy(struct trm_backend_module *module);

/* ---- image.c --------------------------------------------------------------------------------- */

/* Load module->handle. is_refused: written also on an error; true where the driver cannot use this code
 * but may be able to use other code of the same kernels. `bytes` end with a zero. */
int32_t cuda_image_load(struct trm_backend_module *module, const void *bytes, bool *is_refused);

/* Whether an image of `size` bytes holds all that its headers describe, since the driver is not told its
 * size. Text, which has no such headers, is accepted. */
bool cuda_image_is_whole(const void *bytes, uint64_t size);

/* ---- portable.c: code that other rooms put together ------------------------------------------ */

#define CUDA_SYMBOL_BYTES 256

/* The function of kernel number `index` in a translation to CUDA C, and the shape of its launches. False: the
 * text does not say. */
bool cuda_translated_symbol(const char *text, uint64_t length, uint32_t index, char symbol[CUDA_SYMBOL_BYTES],
                            struct cuda_launch_shape *shape);

/* Compile CUDA C that includes nothing and ends with a zero, through the cache, and load it as a module
 * without kernels. Errors: those of compiling and loading. */
int32_t cuda_module_compile(struct trm_backend_device *device, const char *name, const char *text,
                            uint64_t length, struct trm_backend_module **module);

/* ---- kernel.c -------------------------------------------------------------------------------- */

/* Make a kernel of a function that was translated or has the parameters of a translated one. function NULL:
 * the layout of its arguments alone, with nothing to launch. special: see struct trm_backend_kernel.
 * Errors: ABI where `function` has other parameters or cannot be launched with that shape. This and the next
 * function need the context entered and add the kernel to the module's list; the caller holds the list's lock
 * where other threads may see the module. */
int32_t cuda_kernel_translated(struct trm_backend_module *module, const struct trm_kernel_info *info,
                               const struct cuda_launch_shape *shape, CUfunction function,
                               CUfunction special);

/* Make a kernel of native code. info: what the program says of it, or NULL. Errors: UNSUPPORTED where
 * neither the program nor the driver tells its parameters; INVALID_ARGUMENT where they disagree. */
int32_t cuda_kernel_native(struct trm_backend_module *module, const char *name,
                           const struct trm_kernel_info *info, CUfunction function);

void cuda_kernel_destroy(struct trm_backend_kernel *kernel);

/* ---- native.c, portable.c -------------------------------------------------------------------- */

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
