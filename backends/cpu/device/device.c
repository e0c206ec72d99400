/* cpu backend: opening and closing devices.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"

int32_t cpu_device_fail_missing(struct trm_backend_instance *instance, uint32_t index)
{
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "There is no cpu device number %u; the number of cpu devices is %u.", index,
                         instance->device_count);
}

static int32_t device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    *count = instance->device_count;
    return TRM_OK;
}

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **result)
{
    if (index >= instance->device_count)
        return cpu_device_fail_missing(instance, index);
    struct trm_backend_device *device = cpu_allocate(instance, sizeof(*device));
    if (device == NULL)
        return trm_util_fail_host_memory(instance->host, "a device");
    device->instance  = instance;
    device->scheduler = instance->schedulers[index];
    device->index     = index;
    *result           = device;
    return TRM_OK;
}

static void device_close(struct trm_backend_device *device)
{
    trm_util_release(device->instance->host, device, sizeof(*device));
}

static int32_t device_check_loss(struct trm_backend_device *device)
{
    struct trm_backend_instance *instance = device->instance;
    struct cpu_loss *loss                 = &instance->losses[device->index];
    if (loss->launch == 0 || atomic_load(&loss->launches) < loss->launch)
        return TRM_OK;
    return trm_util_fail(instance->host, TRM_ERROR_DEVICE_LOST, 0, CPU_LOSS_SENTENCE, device->index,
                         (unsigned long long)loss->launch);
}

const struct trm_device_ops cpu_device_ops = {
    .struct_size = sizeof(cpu_device_ops),
    .count       = device_count,
    .get_info    = cpu_device_get_info,
    .open        = device_open,
    .close       = device_close,
    .check_loss  = device_check_loss,
};
