/* cuda backend: opens and closes devices.
 * SPDX-License-Identifier: MIT
 */
#include "device.h"

#include <stdio.h>

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/profile/profile.h"
#include "backends/cuda/stream/stream.h"

/* ---- steps ----------------------------------------------------------------------------------- */

static int32_t fail_open(const struct trm_backend_device *device, CUresult result)
{
    const char *why = "";
    if (device->physical->compute_mode == CU_COMPUTEMODE_PROHIBITED)
        why = "; its compute mode is \"prohibited\" (nvidia-smi -c)";
    else if (device->physical->compute_mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS)
        why = "; its compute mode is \"exclusive process\", and another process may have it";
    return trm_util_fail(device->instance->host, cuda_status(result), result,
                         "The device %s cannot be opened: cuDevicePrimaryCtxRetain answered %s (%d)%s.",
                         device->physical->name, cuda_result_name(device->instance, result), (int)result,
                         why);
}

/* Retain the primary context, which the CUDA runtime uses too. Its flags are left as they are. */
static int32_t retain_context(struct trm_backend_device *device, CUcontext borrowed)
{
    device->borrowed = borrowed != NULL;
    device->context  = borrowed;
    if (device->borrowed)
        return TRM_OK;
    CUresult result = device->cuda->cuDevicePrimaryCtxRetain(&device->context, device->handle);
    if (result == CUDA_SUCCESS)
        return TRM_OK;
    device->context = NULL;
    return fail_open(device, result);
}

static struct trm_backend_device *allocate_device(struct trm_backend_instance *instance,
                                                  const struct cuda_physical *physical)
{
    struct trm_backend_device *device = trm_util_allocate(instance->host, sizeof(*device));
    if (device == NULL)
        return NULL;
    device->instance         = instance;
    device->cuda             = &instance->cuda;
    device->physical         = physical;
    device->handle           = physical->handle;
    device->spin_ns          = instance->spin_ns;
    device->on_loss          = cuda_streams_lose_device;
    device->on_kernel_unload = cuda_streams_forget_kernel;
    device->serial           = 1 + atomic_fetch_add(&instance->devices_opened, 1);
    pthread_mutex_init(&device->lazy_lock, NULL);
    pthread_mutex_init(&device->textures_lock, NULL);
    pthread_mutex_init(&device->streams_lock, NULL);
    pthread_mutex_init(&device->quiet_lock, NULL);
    return device;
}

static int32_t open_parts(struct trm_backend_device *device, CUcontext borrowed)
{
    int32_t status = retain_context(device, borrowed);
    if (status == TRM_OK)
        status = cuda_context_probe(device);
    if (status == TRM_OK)
        status = cuda_pool_open(device);
    if (status == TRM_OK)
        status = cuda_watchers_open(device);
    if (status == TRM_OK)
        cuda_follow_add_device(device);
    return status;
}

/* Each part's close function accepts a part that was not opened. The context is released even if it is
 * useless. */
static void device_close(struct trm_backend_device *device)
{
    cuda_follow_remove_device(device);
    if (device->context != NULL) {
        cuda_watchers_close(device);
        cuda_pageable_close(device);
        cuda_stamps_close(device);
        cuda_pool_close(device);
        if (!device->borrowed)
            (void)device->cuda->cuDevicePrimaryCtxRelease(device->handle);
    }
    pthread_mutex_destroy(&device->quiet_lock);
    pthread_mutex_destroy(&device->streams_lock);
    pthread_mutex_destroy(&device->textures_lock);
    pthread_mutex_destroy(&device->lazy_lock);
    trm_util_release(device->instance->host, device, sizeof(*device));
}

int32_t cuda_device_create(struct trm_backend_instance *instance, uint32_t index, CUcontext borrowed,
                           struct trm_backend_device **result)
{
    const struct cuda_physical *physical = cuda_physical_find(instance, index);
    sigset_t before;
    if (physical == NULL)
        return TRM_ERROR_NOT_FOUND;
    struct trm_backend_device *device = allocate_device(instance, physical);
    if (device == NULL)
        return trm_util_fail_host_memory(instance->host, "a device");
    trm_util_signals_block(&before);
    int32_t status = open_parts(device, borrowed);
    if (status != TRM_OK)
        device_close(device);
    trm_util_signals_restore(&before);
    if (status != TRM_OK)
        return status;
    trm_util_warn_of_barriers(instance->host, physical->name);
    *result = device;
    return TRM_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **device)
{
    return cuda_device_create(instance, index, NULL, device);
}

static int32_t device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    *count = instance->physical_count;
    return TRM_OK;
}

/* Streams fail with devices that they follow (stream/follow.h). */
static int32_t device_check_loss(struct trm_backend_device *device)
{
    (void)cuda_device_ask(device);
    return cuda_device_check(device);
}

const struct trm_device_ops cuda_device_ops = {
    .struct_size = sizeof(cuda_device_ops),
    .count       = device_count,
    .get_info    = cuda_device_get_info,
    .open        = device_open,
    .close       = device_close,
    .check_loss  = device_check_loss,
};
