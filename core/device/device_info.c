/* Properties of an open device.
 * SPDX-License-Identifier: MIT
 */
#include "core/device/device.h"

int32_t core_device_info(struct core_device *device, uint32_t key, void *value, size_t capacity, size_t *out)
{
    if (value == NULL && capacity != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_device_get_info: `value` is NULL, but `capacity` is %zu", capacity);
    uint64_t needed;
    int32_t status = core_property_read(device->backend, device->index, key, value, capacity, &needed);
    if (out != NULL && (status == TRM_OK || status == TRM_ERROR_OUT_OF_RANGE))
        *out = needed;
    if (status == TRM_OK)
        return TRM_OK;
    /* A query of the size alone succeeds. */
    if (status == TRM_ERROR_OUT_OF_RANGE && value == NULL)
        return TRM_OK;
    return core_device_latch_loss(device, base_fail_backend(status));
}

int32_t trm_device_get_info(struct trm_device *handle, uint32_t key, void *value, size_t capacity,
                            size_t *out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = core_device_info(device, key, value, capacity, out);
    core_object_leave(&device->object);
    return status;
}

int32_t trm_device_get_u64(struct trm_device *handle, uint32_t key, uint64_t *value)
{
    uint64_t read  = 0;
    size_t needed  = 0;
    int32_t status = core_output_check(value, "trm_device_get_u64", "value");
    if (status == TRM_OK)
        status = trm_device_get_info(handle, key, &read, sizeof(read), &needed);
    if (status == TRM_OK && needed != sizeof(read))
        return base_fail(TRM_ERROR_TYPE_MISMATCH,
                         "property %u of a device has %zu bytes and is not a uint64_t", key, needed);
    if (status == TRM_OK)
        *value = read;
    return status;
}
