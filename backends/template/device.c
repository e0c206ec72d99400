/* Trireme: the template backend's devices: how many there are, what they can do, opening and closing.
 * SPDX-License-Identifier: MIT
 */
#include <unistd.h>

#include "template.h"

static int32_t template_device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    *count = 1;
    return TRM_OK;
}

static uint64_t template_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

/* On a real device: ask the driver about its device number `index`. Keys marked "required" in
 * <trireme/device_info.h> need an answer; an unknown key is NOT_FOUND, which is no failure and needs no
 * explanation. */
static int32_t template_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                                        void *value, uint64_t capacity, uint64_t *needed)
{
    static const char name[]            = "Template device";
    static const uint64_t max_groups[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    static const uint64_t group_size[3] = {TEMPLATE_MAX_GROUP_ITEMS, TEMPLATE_MAX_GROUP_ITEMS,
                                           TEMPLATE_MAX_GROUP_ITEMS};
    const struct trm_host *host         = instance->host;
    uint64_t number;

    (void)index;
    switch (key) {
    case TRM_DEVICE_NAME:
        return trm_util_answer(host, name, sizeof(name), value, capacity, needed);
    case TRM_DEVICE_MAX_GROUPS:
        return trm_util_answer(host, max_groups, sizeof(max_groups), value, capacity, needed);
    case TRM_DEVICE_MAX_GROUP_SIZE:
        return trm_util_answer(host, group_size, sizeof(group_size), value, capacity, needed);
    case TRM_DEVICE_KIND:
        number = TRM_DEVICE_OTHER;
        break;
    case TRM_DEVICE_UNIFIED:
        number = 0; /* the core copies and maps as for a device with memory of its own */
        break;
    case TRM_DEVICE_SYNCHRONOUS:
        number = 1; /* on a real device: 0, or leave the key out */
        break;
    case TRM_DEVICE_UNITS:
        number = 1;
        break;
    case TRM_DEVICE_MEMORY_TOTAL:
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        number = template_memory_bytes();
        break;
    case TRM_DEVICE_MAX_GROUP_ITEMS:
        number = TEMPLATE_MAX_GROUP_ITEMS;
        break;
    case TRM_DEVICE_MAX_SHARED_BYTES:
        number = TEMPLATE_MAX_SHARED_BYTES;
        break;
    case TRM_DEVICE_MAX_ARGUMENTS:
        number = TEMPLATE_MAX_ARGUMENTS;
        break;
    case TRM_DEVICE_BUFFER_ALIGNMENT:
        number = TEMPLATE_BUFFER_ALIGNMENT;
        break;
    default:
        return TRM_ERROR_NOT_FOUND;
    }
    return trm_util_answer(host, &number, sizeof(number), value, capacity, needed);
}

/* On a real device: make the driver's context or logical device. The same `index` may be opened several
 * times. */
static int32_t template_device_open(struct trm_backend_instance *instance, uint32_t index,
                                    struct trm_backend_device **device)
{
    struct trm_backend_device *made = trm_util_allocate(instance->host, sizeof(*made));

    (void)index;
    if (made == NULL)
        return trm_util_fail_host_memory(instance->host, "a device");
    made->instance = instance;
    *device        = made;
    return TRM_OK;
}

/* The core has destroyed the device's streams, memory and modules before. */
static void template_device_close(struct trm_backend_device *device)
{
    trm_util_release(device->instance->host, device, sizeof(*device));
}

const struct trm_device_ops template_device_ops = {
    .struct_size = sizeof(template_device_ops),
    .count       = template_device_count,
    .get_info    = template_device_get_info,
    .open        = template_device_open,
    .close       = template_device_close,
};
