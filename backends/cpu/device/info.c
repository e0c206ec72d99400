/* cpu backend: what devices are.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 256

static int32_t answer_text(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                           uint64_t capacity, uint64_t *needed)
{
    char text[TEXT_BYTES];
    if (key == TRM_DEVICE_DRIVER)
        snprintf(text, sizeof(text), "%u worker thread%s", instance->worker_counts[index],
                 instance->worker_counts[index] == 1 ? "" : "s");
    else
        cpu_model_name(text, sizeof(text));
    return trm_util_answer(instance->host, text, strlen(text) + 1, value, capacity, needed);
}

/* Find the answer to a key that is a single number. False for other keys. */
static bool find_number(struct trm_backend_instance *instance, uint32_t index, uint32_t key, uint64_t *number)
{
    switch (key) {
    case TRM_DEVICE_KIND:
        *number = TRM_DEVICE_CPU;
        return true;
    case TRM_DEVICE_MEMORY_TOTAL:
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        *number = instance->physical_bytes;
        return true;
    case TRM_DEVICE_MEMORY_FREE:
        *number = cpu_available_bytes(instance->physical_bytes);
        return true;
    case TRM_DEVICE_UNIFIED:
    case TRM_DEVICE_SUBGROUP_SIZE:
    case TRM_DEVICE_BUFFER_ALIGNMENT: /* a kernel that needs more asks the program for it */
        *number = 1;
        return true;
    case TRM_DEVICE_UNITS:
    case TRM_DEVICE_COPY_ENGINES:
    case TRM_DEVICE_MAX_KERNELS:
        *number = instance->worker_counts[index];
        return true;
    case TRM_DEVICE_MAX_GROUP_ITEMS:
        *number = CPU_MAX_GROUP_ITEMS;
        return true;
    case TRM_DEVICE_MAX_SHARED_BYTES:
        *number = CPU_MAX_SHARED_BYTES;
        return true;
    case TRM_DEVICE_MAX_ARGUMENTS:
        *number = CPU_MAX_ARGUMENTS;
        return true;
    case TRM_DEVICE_PRIORITIES: /* the scheduler's queues */
        *number = 3;
        return true;
    case TRM_DEVICE_TIMESTAMP_HZ:
        *number = 1000000000;
        return true;
    case TRM_DEVICE_SYNCHRONOUS:
        *number = 0;
        return true;
    case TRM_DEVICE_ADDRESSES:
    case TRM_DEVICE_PEER_KERNELS:
        *number = 1;
        return true;
    case TRM_DEVICE_CLOCK_HZ:
        *number = cpu_clock_hertz();
        return *number != 0;
    case TRM_DEVICE_CACHE_BYTES:
        *number = cpu_cache_bytes();
        return *number != 0;
    default:
        return false;
    }
}

int32_t cpu_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                            uint64_t capacity, uint64_t *needed)
{
    /* The product is the number of groups, which kernels see as 64 bits. */
    static const uint64_t most_groups[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    static const uint64_t most_items[3]  = {CPU_MAX_GROUP_ITEMS, CPU_MAX_GROUP_ITEMS, CPU_MAX_GROUP_ITEMS};
    uint64_t number;
    if (index >= instance->device_count)
        return cpu_device_fail_missing(instance, index);
    if (key == TRM_DEVICE_NAME || key == TRM_DEVICE_DRIVER)
        return answer_text(instance, index, key, value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUPS)
        return trm_util_answer(instance->host, most_groups, sizeof(most_groups), value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUP_SIZE)
        return trm_util_answer(instance->host, most_items, sizeof(most_items), value, capacity, needed);
    if (find_number(instance, index, key, &number))
        return trm_util_answer(instance->host, &number, sizeof(number), value, capacity, needed);
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The cpu device has no answer to key number %u.", key);
}
