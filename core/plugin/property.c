/* Reads properties of devices, and checks the sizes that a backend answers.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/property.h"

#include <inttypes.h>
#include <string.h>

#include "core/plugin/answer.h"

#define ANY_SIZE 0

static bool is_text(uint32_t key)
{
    return key == TRM_DEVICE_NAME || key == TRM_DEVICE_PCI || key == TRM_DEVICE_DRIVER ||
           key == TRM_DEVICE_COLLECTIVES;
}

/* The bytes of a value; ANY_SIZE of text, and of keys that this version does not know. */
static uint64_t size_of(uint32_t key)
{
    if (is_text(key) || key < TRM_DEVICE_NAME || key > TRM_DEVICE_QUEUES)
        return ANY_SIZE;
    if (key == TRM_DEVICE_UUID)
        return 16;
    if (key == TRM_DEVICE_MAX_GROUPS || key == TRM_DEVICE_MAX_GROUP_SIZE)
        return 3 * sizeof(uint64_t);
    return sizeof(uint64_t);
}

static int32_t refuse(const struct core_backend *backend, uint32_t index, uint32_t key, uint64_t needed,
                      const char *why)
{
    return base_fail(TRM_ERROR_ABI,
                     "device.get_info() of the backend %s returns property %" PRIu32 " of device %s:%" PRIu32
                     " in %" PRIu64 " bytes, %s",
                     backend->name, key, backend->name, index, needed, why);
}

/* The value fits in `capacity` bytes, as the backend says. */
static int32_t check_value(const struct core_backend *backend, uint32_t index, uint32_t key,
                           const void *value, uint64_t capacity, uint64_t needed)
{
    uint64_t size = size_of(key);
    if (size != ANY_SIZE && needed != size)
        return refuse(backend, index, key, needed, "which is not the size of its type");
    if (value == NULL)
        return TRM_OK;
    if (needed > capacity)
        return refuse(backend, index, key, needed, "more than it was given room for");
    if (is_text(key) && (needed == 0 || memchr(value, '\0', needed) == NULL))
        return refuse(backend, index, key, needed, "none of which ends the text");
    return TRM_OK;
}

int32_t core_property_read(const struct core_backend *backend, uint32_t index, uint32_t key, void *value,
                           uint64_t capacity, uint64_t *needed)
{
    *needed = 0;
    base_error_clear();
    int32_t status =
        core_answer(backend, "device.get_info",
                    backend->device.get_info(backend->instance, index, key, value, capacity, needed));
    if (status == TRM_OK)
        return check_value(backend, index, key, value, capacity, *needed);
    if (status == TRM_ERROR_OUT_OF_RANGE && *needed <= capacity)
        return refuse(backend, index, key, *needed, "but says that more room is needed than there is");
    return status == TRM_ERROR_NOT_FOUND ? status : base_fail_backend(status);
}

int32_t core_property_read_u64(const struct core_backend *backend, uint32_t index, uint32_t key,
                               uint64_t *value)
{
    uint64_t needed = 0, read = 0;
    int32_t status = core_property_read(backend, index, key, &read, sizeof(read), &needed);
    if (status == TRM_OK && needed != sizeof(read))
        return refuse(backend, index, key, needed, "which is not one uint64_t");
    if (status == TRM_OK)
        *value = read;
    return status;
}
