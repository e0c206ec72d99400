/* Trireme: the template backend's devices: how many there are, what they are like, opening and
 * closing them.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
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

/* Every answer leaves through here: the size always, the value where there is room for it. */
static int32_t template_answer(const void *answer, uint64_t size, void *value, uint64_t capacity,
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

/* On a real device: ask the driver, with `index` as it counts them. Keys marked "required" in
 * <trireme/device_info.h> need an answer; a key that is not known is NOT_FOUND, which is no
 * failure and needs no explanation. */
static int32_t template_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                                        void *value, uint64_t capacity, uint64_t *needed)
{
    static const char name[]            = "Template device";
    static const uint64_t max_groups[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    static const uint64_t group_size[3] = {TEMPLATE_MAX_GROUP_ITEMS, TEMPLATE_MAX_GROUP_ITEMS,
                                           TEMPLATE_MAX_GROUP_ITEMS};
    uint64_t number;

    (void)instance;
    (void)index;
    switch (key) {
    case TRM_DEVICE_NAME:
        return template_answer(name, sizeof(name), value, capacity, needed);
    case TRM_DEVICE_MAX_GROUPS:
        return template_answer(max_groups, sizeof(max_groups), value, capacity, needed);
    case TRM_DEVICE_MAX_GROUP_SIZE:
        return template_answer(group_size, sizeof(group_size), value, capacity, needed);
    case TRM_DEVICE_KIND:
        number = TRM_DEVICE_OTHER;
        break;
    case TRM_DEVICE_UNIFIED:
        number = 0; /* the core copies and maps as if the memory were far away */
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
    return template_answer(&number, sizeof(number), value, capacity, needed);
}

/* On a real device: make the driver's context or logical device. The same `index` may be opened
 * several times. */
static int32_t template_device_open(struct trm_backend_instance *instance, uint32_t index,
                                    struct trm_backend_device **device)
{
    const struct trm_host *host = instance->host;
    struct trm_backend_device *made;

    (void)index;
    made = host->allocate(host->context, sizeof(*made), _Alignof(struct trm_backend_device));
    if (made == NULL)
        return host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0, "There is no memory for a device.");

    made->instance = instance;
    *device        = made;
    return TRM_OK;
}

/* Its streams, memory and modules are gone already: the core takes care of that order. */
static void template_device_close(struct trm_backend_device *device)
{
    const struct trm_host *host = device->instance->host;

    host->release(host->context, device, sizeof(*device));
}

const struct trm_device_ops template_device_ops = {
    .struct_size = sizeof(template_device_ops),
    .count       = template_device_count,
    .get_info    = template_device_get_info,
    .open        = template_device_open,
    .close       = template_device_close,
};
