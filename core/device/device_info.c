/* Properties of an open device.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/device/device.h"

/* What the core knows of an open device. NULL: the backend is to be asked. */
static const void *find_own(const struct core_device *device, uint32_t key, uint64_t *number, uint64_t *size)
{
    const char *text = key == TRM_DEVICE_BACKEND ? device->backend->name
                       : key == TRM_DEVICE_ID    ? device->id
                                                 : NULL;
    if (text == NULL && key != TRM_DEVICE_INDEX)
        return NULL;
    *number = device->index;
    *size   = text != NULL ? strlen(text) + 1 : sizeof(*number);
    return text != NULL ? (const void *)text : number;
}

static int32_t read_property(const struct core_device *device, uint32_t key, void *value, uint64_t capacity,
                             uint64_t *needed)
{
    uint64_t number;
    const void *own = find_own(device, key, &number, needed);
    if (own == NULL)
        return core_property_read(device->backend, device->index, key, value, capacity, needed);
    if (*needed > capacity)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "property %" PRIu32 " of device %s needs %" PRIu64 " bytes, but there are %" PRIu64,
                         key, device->id, *needed, capacity);
    memcpy(value, own, *needed);
    return TRM_OK;
}

int32_t core_device_info(struct core_device *device, uint32_t key, void *value, size_t capacity, size_t *out)
{
    if (value == NULL && capacity != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_device_get_info: `value` is NULL, but `capacity` is %zu", capacity);
    uint64_t needed;
    int32_t status = read_property(device, key, value, capacity, &needed);
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
