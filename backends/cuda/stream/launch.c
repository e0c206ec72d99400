/* cuda backend: a launch as the driver takes it.
 * SPDX-License-Identifier: MIT
 */
#include "launch.h"

#include <inttypes.h>
#include <string.h>

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/module/module.h"

__attribute__((cold, noinline)) static int32_t fail_group(const struct trm_backend_device *device,
                                                          const struct trm_launch_desc *desc)
{
    const uint32_t *size = desc->group_size;
    return trm_util_fail(
        device->instance->host, TRM_ERROR_OUT_OF_RANGE, 0,
        "A group of %" PRIu32 " x %" PRIu32 " x %" PRIu32
        " work-items is too large for the kernel \"%s\": its registers allow at most %" PRIu32 ".",
        size[0], size[1], size[2], desc->kernel->name, desc->kernel->max_group_items);
}

__attribute__((cold, noinline)) static int32_t fail_alignment(const struct trm_backend_device *device,
                                                              const struct trm_backend_kernel *kernel,
                                                              uint32_t index)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                         "Argument %" PRIu32 " \"%s\" of kernel \"%s\" is not aligned to the %" PRIu32
                         " bytes of its elements.",
                         index, kernel->parameters[index].name, kernel->name, kernel->masks[index] + 1);
}

static uint64_t address_of(const struct trm_launch_argument *argument)
{
    return argument->memory != NULL ? argument->memory->address + argument->offset : 0;
}

/* As trm_backend_device.follow_bit; 0: the memory is the device's own. */
static inline uint64_t reached_by(const struct trm_backend_device *device,
                                  const struct trm_launch_argument *argument)
{
    const struct trm_backend_memory *memory = argument->memory;
    return memory == NULL || TRM_UTIL_LIKELY(memory->device == device) ? 0 : memory->device->follow_bit;
}

static inline void write_scalar(uint8_t *to, const struct trm_launch_argument *argument)
{
    uint64_t scalar = argument->scalar;
    if (argument->size == 8)
        memcpy(to, &scalar, 8);
    else if (argument->size == 4)
        memcpy(to, &(uint32_t){(uint32_t)scalar}, 4);
    else if (argument->size == 2)
        memcpy(to, &(uint16_t){(uint16_t)scalar}, 2);
    else
        *to = (uint8_t)scalar;
}

/* An image, a sampler or a texel buffer. */
static void write_words(const struct trm_launch_desc *desc, uint32_t index, uint8_t *to, bool *lacks_texture)
{
    const struct trm_launch_argument *argument = &desc->arguments[index];
    uint64_t texture                           = cuda_texture_state(desc, index);
    struct trm_image_words words = {(void *)(uintptr_t)address_of(argument), argument->scalar | texture};
    bool is_sampled =
        argument->kind == TRM_PARAMETER_TEXTURE || argument->kind == TRM_PARAMETER_SAMPLED_IMAGE;
    *lacks_texture |= is_sampled && texture == 0;
    memcpy(to, &words, sizeof(words));
}

/* Whether a sampled image has no texture object. */
static bool write_arguments(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                            struct cuda_launch *launch)
{
    const struct trm_backend_kernel *kernel = desc->kernel;
    bool lacks_texture                      = false;
    launch->reached                         = 0;
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        const struct trm_launch_argument *argument = &desc->arguments[i];
        uint8_t *to                                = launch->arguments + kernel->offsets[i];
        launch->reached |= reached_by(device, argument);
        if (argument->kind == TRM_PARAMETER_BUFFER)
            memcpy(to, &(uint64_t){address_of(argument)}, sizeof(uint64_t));
        else if (argument->kind == TRM_PARAMETER_SCALAR)
            write_scalar(to, argument);
        else if (argument->kind == TRM_PARAMETER_BLOCK)
            memcpy(to, argument->block, argument->size);
        else
            write_words(desc, i, to, &lacks_texture);
    }
    return lacks_texture;
}

static void write_sizes(const struct trm_launch_desc *desc, uint8_t *to)
{
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        if (desc->arguments[i].kind != TRM_PARAMETER_BUFFER)
            continue;
        memcpy(to, &desc->arguments[i].size, sizeof(uint64_t));
        to += sizeof(uint64_t);
    }
}

/* The first buffer that is not aligned; UINT32_MAX: all are. */
static uint32_t find_unaligned(const struct trm_launch_desc *desc)
{
    for (uint32_t i = 0; i < desc->argument_count; i++)
        if (address_of(&desc->arguments[i]) & desc->kernel->masks[i])
            return i;
    return UINT32_MAX;
}

int32_t cuda_launch_build(struct trm_backend_device *device, const struct trm_launch_desc *desc,
                          struct cuda_launch *launch)
{
    const struct trm_backend_kernel *kernel = desc->kernel;
    uint64_t items = (uint64_t)desc->group_size[0] * desc->group_size[1] * desc->group_size[2];
    if (!TRM_UTIL_LIKELY(items <= kernel->max_group_items))
        return fail_group(device, desc);
    if (kernel->masks != NULL) {
        uint32_t unaligned = find_unaligned(desc);
        if (!TRM_UTIL_LIKELY(unaligned == UINT32_MAX))
            return fail_alignment(device, kernel, unaligned);
    }
    launch->kernel = kernel;
    memcpy(launch->groups, desc->groups, sizeof(launch->groups));
    memcpy(launch->group_size, desc->group_size, sizeof(launch->group_size));
    if (kernel->threads != 0)
        memcpy(launch->group_size, (uint32_t[]){kernel->threads, 1, 1}, sizeof(launch->group_size));
    launch->shared_bytes   = desc->shared_bytes + kernel->dynamic_bytes;
    launch->argument_bytes = kernel->argument_bytes;
    if (kernel->argument_bytes <= CUDA_REPLAY_BYTES)
        memset(launch->arguments, 0, kernel->argument_bytes);
    bool is_special = !write_arguments(device, desc, launch); /* lacks no texture */
    if (kernel->coarsening != 0) {
        memcpy(launch->arguments + kernel->groups_offset, &desc->groups[0], sizeof(uint32_t));
        uint64_t full = (uint64_t)(desc->groups[0] / kernel->coarsening) * desc->groups[1] * desc->groups[2];
        if (full >= kernel->coarsen_from)
            launch->groups[0] = (desc->groups[0] - 1) / kernel->coarsening + 1;
        else
            is_special = false;
    }
    launch->function = kernel->special != NULL && is_special ? kernel->special : kernel->function;
    if (kernel->wants_sizes)
        write_sizes(desc, launch->arguments + kernel->sizes_offset);
    return TRM_OK;
}

/* Write the kernelParams of the launch. */
static void write_entries(const struct cuda_launch *launch, void **pointers)
{
    const struct trm_backend_kernel *kernel = launch->kernel;
    for (uint32_t i = 0; i < kernel->entry_count; i++)
        pointers[i] = (void *)(uintptr_t)(launch->arguments + kernel->entries[i]);
}

CUDA_KERNEL_NODE_PARAMS cuda_launch_node(const struct trm_backend_device *device,
                                         const struct cuda_launch *launch, void **pointers)
{
    write_entries(launch, pointers);
    return (CUDA_KERNEL_NODE_PARAMS){
        .func           = launch->function,
        .gridDimX       = launch->groups[0],
        .gridDimY       = launch->groups[1],
        .gridDimZ       = launch->groups[2],
        .blockDimX      = launch->group_size[0],
        .blockDimY      = launch->group_size[1],
        .blockDimZ      = launch->group_size[2],
        .sharedMemBytes = launch->shared_bytes,
        .kernelParams   = pointers,
        .ctx            = device->context,
    };
}

CUresult cuda_launch_submit(struct trm_backend_device *device, CUstream stream,
                            const struct cuda_launch *launch)
{
    void *pointers[CUDA_MAX_ARGUMENTS];
    const uint32_t *groups = launch->groups, *size = launch->group_size;
    write_entries(launch, pointers);
    return device->cuda->cuLaunchKernel(launch->function, groups[0], groups[1], groups[2], size[0], size[1],
                                        size[2], launch->shared_bytes, stream, pointers, NULL);
}
