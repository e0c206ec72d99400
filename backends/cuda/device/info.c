/* cuda backend: answers questions about devices, which need not be open.
 * SPDX-License-Identifier: MIT
 */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include "backends/cuda/collective/collective.h"

/* Kernels load up to 16 bytes at once; cuMemAlloc aligns to a multiple of this. */
#define BUFFER_ALIGNMENT 16u

/* CUDA's documentation of cuEventElapsedTime: "a resolution of around 0.5 microseconds". */
#define EVENT_HERTZ 2000000u

/* ---- numbers --------------------------------------------------------------------------------- */

/* Makes the context current for the call. */
static bool ask_free(const struct cuda_functions *cuda, CUcontext context, uint64_t *bytes)
{
    CUcontext previous = NULL;
    size_t unused = 0, total = 0;
    if (cuda->cuCtxGetCurrent(&previous) != CUDA_SUCCESS || cuda->cuCtxSetCurrent(context) != CUDA_SUCCESS)
        return false;
    CUresult result = cuda->cuMemGetInfo(&unused, &total);
    (void)cuda->cuCtxSetCurrent(previous);
    *bytes = unused;
    return result == CUDA_SUCCESS;
}

/* Only a context can tell how much memory is free, and creating one takes much time and memory. Without
 * a context in the process the answer is unknown. */
static bool free_bytes(const struct trm_backend_instance *instance, const struct cuda_physical *physical,
                       uint64_t *bytes)
{
    const struct cuda_functions *cuda = &instance->cuda;
    unsigned int flags                = 0;
    int is_active                     = 0;
    CUcontext context;
    if (cuda->cuDevicePrimaryCtxGetState(physical->handle, &flags, &is_active) != CUDA_SUCCESS || !is_active)
        return false;
    if (cuda->cuDevicePrimaryCtxRetain(&context, physical->handle) != CUDA_SUCCESS)
        return false;
    bool known = ask_free(cuda, context, bytes);
    (void)cuda->cuDevicePrimaryCtxRelease(physical->handle);
    return known;
}

/* As the programming guide has it for each compute capability. */
static uint64_t resident_grids(const struct cuda_physical *physical)
{
    switch (physical->major * 10 + physical->minor) {
    case 53:
    case 62:
    case 72:
        return 16;
    case 50:
    case 52:
    case 61:
        return 32;
    default:
        return 128;
    }
}

static bool find_limit(const struct cuda_physical *physical, uint32_t key, uint64_t *number)
{
    switch (key) {
    case TRM_DEVICE_MAX_GROUP_ITEMS:
        *number = (uint64_t)physical->group_items;
        return true;
    case TRM_DEVICE_MAX_SHARED_BYTES:
        *number = (uint64_t)physical->shared_bytes;
        return true;
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        *number = physical->memory_bytes;
        return true;
    case TRM_DEVICE_MAX_ARGUMENTS:
        *number = CUDA_MAX_ARGUMENTS;
        return true;
    case TRM_DEVICE_BUFFER_ALIGNMENT:
        *number = BUFFER_ALIGNMENT;
        return true;
    case TRM_DEVICE_SUBGROUP_SIZE:
        *number = (uint64_t)physical->warp;
        return *number != 0;
    default:
        return false;
    }
}

/* One number; false for a key that has no such answer here. */
static bool find_number(const struct trm_backend_instance *instance, const struct cuda_physical *physical,
                        uint32_t key, uint64_t *number)
{
    switch (key) {
    case TRM_DEVICE_KIND:
        *number = physical->integrated ? TRM_DEVICE_IGPU : TRM_DEVICE_GPU;
        return true;
    case TRM_DEVICE_MEMORY_TOTAL:
        *number = physical->memory_bytes;
        return true;
    case TRM_DEVICE_MEMORY_FREE:
        return free_bytes(instance, physical, number);
    case TRM_DEVICE_UNIFIED:
        *number = physical->integrated ? 1 : 0;
        return true;
    case TRM_DEVICE_UNITS:
        *number = (uint64_t)physical->units;
        return true;
    case TRM_DEVICE_CLOCK_HZ:
        *number = physical->clock_hz;
        return *number != 0;
    case TRM_DEVICE_MAX_KERNELS:
        *number = resident_grids(physical);
        return true;
    case TRM_DEVICE_PRIORITIES: /* since compute capability 3.5; low is the same as normal (stream.c) */
        *number = 2;
        return true;
    case TRM_DEVICE_QUEUES:
        *number = (uint64_t)physical->connections;
        return true;
    case TRM_DEVICE_COPY_ENGINES:
        *number = (uint64_t)physical->copy_engines;
        return true;
    case TRM_DEVICE_CACHE_BYTES:
        *number = physical->cache_bytes;
        return *number != 0;
    case TRM_DEVICE_TIMESTAMP_HZ:
        *number = EVENT_HERTZ;
        return true;
    case TRM_DEVICE_SYNCHRONOUS:
        *number = 0;
        return true;
    case TRM_DEVICE_ADDRESSES:
    case TRM_DEVICE_PEER_KERNELS:
        *number = 1;
        return true;
    case TRM_DEVICE_MAPPED:
        *number = physical->maps_host && physical->unified_addresses ? 1 : 0;
        return true;
    default:
        return find_limit(physical, key, number);
    }
}

/* ---- the slot -------------------------------------------------------------------------------- */

static int32_t answer_text(const struct trm_backend_instance *instance, const char *text, void *value,
                           uint64_t capacity, uint64_t *needed)
{
    return trm_util_answer(instance->host, text, strlen(text) + 1, value, capacity, needed);
}

static int32_t answer_three(const struct trm_backend_instance *instance, const int numbers[3], void *value,
                            uint64_t capacity, uint64_t *needed)
{
    uint64_t three[3] = {(uint64_t)numbers[0], (uint64_t)numbers[1], (uint64_t)numbers[2]};
    return trm_util_answer(instance->host, three, sizeof(three), value, capacity, needed);
}

/* "CUDA 13.0 (driver 580.95.05), compute capability 9.0" */
static int32_t answer_driver(const struct trm_backend_instance *instance,
                             const struct cuda_physical *physical, void *value, uint64_t capacity,
                             uint64_t *needed)
{
    char text[sizeof(instance->loader.release) + 96];
    snprintf(text, sizeof(text), "CUDA %d.%d%s%s%s, compute capability %d.%d",
             instance->driver_version / 1000, instance->driver_version % 1000 / 10,
             instance->loader.release[0] != '\0' ? " (driver " : "", instance->loader.release,
             instance->loader.release[0] != '\0' ? ")" : "", physical->major, physical->minor);
    return answer_text(instance, text, value, capacity, needed);
}

/* Opens NCCL. */
static int32_t answer_collectives(struct trm_backend_instance *instance, void *value, uint64_t capacity,
                                  uint64_t *needed)
{
    struct cuda_nccl *nccl;
    int32_t status = cuda_nccl_get(instance, &nccl);
    if (status == TRM_OK)
        return answer_text(instance, nccl->name, value, capacity, needed);
    return status == TRM_ERROR_OUT_OF_HOST_MEMORY ? status : TRM_ERROR_NOT_FOUND;
}

int32_t cuda_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                             uint64_t capacity, uint64_t *needed)
{
    const struct cuda_physical *physical = cuda_physical_find(instance, index);
    uint64_t number;
    if (physical == NULL)
        return TRM_ERROR_NOT_FOUND;
    if (key == TRM_DEVICE_NAME)
        return answer_text(instance, physical->name, value, capacity, needed);
    if (key == TRM_DEVICE_DRIVER)
        return answer_driver(instance, physical, value, capacity, needed);
    if (key == TRM_DEVICE_UUID && physical->has_uuid)
        return trm_util_answer(instance->host, physical->uuid, sizeof(physical->uuid), value, capacity,
                               needed);
    if (key == TRM_DEVICE_PCI && physical->pci[0] != '\0')
        return answer_text(instance, physical->pci, value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUPS)
        return answer_three(instance, physical->grid, value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUP_SIZE)
        return answer_three(instance, physical->group_size, value, capacity, needed);
    if (key == TRM_DEVICE_COLLECTIVES)
        return answer_collectives(instance, value, capacity, needed);
    if (find_number(instance, physical, key, &number))
        return trm_util_answer(instance->host, &number, sizeof(number), value, capacity, needed);
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The driver of the device %s does not tell information number %u.", physical->name,
                         key);
}
