/* The timed backend: its devices, and what it says of it.
 * SPDX-License-Identifier: MIT
 */
#include "timed.h"

#include <string.h>
#include <unistd.h>

static int32_t timed_device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    *count = instance->settings.devices != 0 ? (uint32_t)instance->settings.devices : 1;
    return TRM_OK;
}

static uint64_t timed_memory_bytes(const struct trm_backend_instance *instance)
{
    if (instance->settings.memory != 0)
        return instance->settings.memory;

    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

/* The size always, the value where there is room for it. */
static int32_t timed_answer(const void *answer, uint64_t size, void *value, uint64_t capacity,
                            uint64_t *needed)
{
    if (needed != NULL)
        *needed = size;
    if (value == NULL && capacity == 0)
        return TRM_OK;
    if (value == NULL || capacity < size)
        return TRM_ERROR_OUT_OF_RANGE;
    memcpy(value, answer, size);
    return TRM_OK;
}

static int32_t timed_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                                     void *value, uint64_t capacity, uint64_t *needed)
{
    static const char name[]            = "Template device";
    static const uint64_t max_groups[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    static const uint64_t group_size[3] = {TIMED_MAX_GROUP_ITEMS, TIMED_MAX_GROUP_ITEMS,
                                           TIMED_MAX_GROUP_ITEMS};
    uint64_t number;

    (void)index;
    switch (key) {
    case TRM_DEVICE_NAME:
        return timed_answer(name, sizeof(name), value, capacity, needed);
    case TRM_DEVICE_MAX_GROUPS:
        return timed_answer(max_groups, sizeof(max_groups), value, capacity, needed);
    case TRM_DEVICE_MAX_GROUP_SIZE:
        return timed_answer(group_size, sizeof(group_size), value, capacity, needed);
    case TRM_DEVICE_KIND:
        number = TRM_DEVICE_OTHER;
        break;
    case TRM_DEVICE_UNIFIED:
    case TRM_DEVICE_SYNCHRONOUS:
        number = 0;
        break;
    case TRM_DEVICE_MAPPED:
        number = 1;
        break;
    case TRM_DEVICE_COPY_ENGINES:
        number = 2;
        break;
    case TRM_DEVICE_TIMESTAMP_HZ:
        number = 1000000000;
        break;
    case TRM_DEVICE_UNITS:
        number = 1;
        break;
    case TRM_DEVICE_MEMORY_TOTAL:
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        number = timed_memory_bytes(instance);
        break;
    case TRM_DEVICE_MAX_GROUP_ITEMS:
        number = TIMED_MAX_GROUP_ITEMS;
        break;
    case TRM_DEVICE_MAX_SHARED_BYTES:
        number = TIMED_MAX_SHARED_BYTES;
        break;
    case TRM_DEVICE_MAX_ARGUMENTS:
        number = TIMED_MAX_ARGUMENTS;
        break;
    case TRM_DEVICE_BUFFER_ALIGNMENT:
        number = TIMED_BUFFER_ALIGNMENT;
        break;
    default:
        return TRM_ERROR_NOT_FOUND;
    }
    return timed_answer(&number, sizeof(number), value, capacity, needed);
}

static int32_t timed_device_open(struct trm_backend_instance *instance, uint32_t index,
                                 struct trm_backend_device **device)
{
    struct trm_backend_device *made = timed_new(instance->host, sizeof(*made));
    int32_t status;

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->instance = instance;
    made->index    = index;
    status         = timed_engines_start(made);
    if (status != TRM_OK) {
        instance->host->release(instance->host->context, made, sizeof(*made));
        return status;
    }
    *device = made;
    return TRM_OK;
}

static void timed_device_close(struct trm_backend_device *device)
{
    const struct trm_host *host = device->instance->host;

    timed_engines_stop(device);
    host->release(host->context, device, sizeof(*device));
}

const struct trm_device_ops timed_device_ops = {
    .struct_size = sizeof(timed_device_ops),
    .count       = timed_device_count,
    .get_info    = timed_device_get_info,
    .open        = timed_device_open,
    .close       = timed_device_close,
};
