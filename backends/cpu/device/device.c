/* cpu backend: the one device, and what the machine says about itself.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 256

/* ---- the machine */

/* Processors that this process may run on. The mask is as large as the kernel's, which may be larger
 * than cpu_set_t. */
uint32_t cpu_count_processors(void)
{
    for (int most = 1024; most <= 1 << 20; most *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        if (set == NULL)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)most);
        int count   = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return (uint32_t)count;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

/* The value behind `key` in a file of lines "key : value"; false when there is none. */
static bool read_line(const char *path, const char *key, char *value, size_t capacity)
{
    FILE *file = fopen(path, "re");
    char line[512];
    bool found = false;
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        const char *text = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        text += strspn(text, " \t:");
        snprintf(value, capacity, "%.*s", (int)strcspn(text, "\n"), text);
        found = true;
    }
    fclose(file);
    return found;
}

/* What a control group leaves us; UINT64_MAX where there is no limit ("max", or an old kernel's huge
 * number). */
static uint64_t group_limit(void)
{
    char text[TEXT_BYTES];
    if (!read_line("/sys/fs/cgroup/memory.max", "", text, sizeof(text)) &&
        !read_line("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", text, sizeof(text)))
        return UINT64_MAX;
    uint64_t limit = strtoull(text, NULL, 10);
    return limit == 0 ? UINT64_MAX : limit;
}

uint64_t cpu_physical_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 1ull << 30;
    uint64_t limit = group_limit();
    return limit < bytes ? limit : bytes;
}

static uint64_t free_bytes(struct trm_backend_instance *instance)
{
    char text[TEXT_BYTES];
    uint64_t bytes = instance->physical_bytes;
    if (read_line("/proc/meminfo", "MemAvailable", text, sizeof(text)))
        bytes = strtoull(text, NULL, 10) << 10;
    return bytes < instance->physical_bytes ? bytes : instance->physical_bytes;
}

/* The C library's own answer is many times too large on some virtual machines, so the kernel is asked
 * first. */
uint64_t cpu_cache_bytes(void)
{
    static const char *const files[] = {"/sys/devices/system/cpu/cpu0/cache/index3/size",
                                        "/sys/devices/system/cpu/cpu0/cache/index2/size"};
    char text[TEXT_BYTES];
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (read_line(files[i], "", text, sizeof(text)))
            return strtoull(text, NULL, 10) << 10;
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static uint64_t clock_hertz(void)
{
    char text[TEXT_BYTES];
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "", text, sizeof(text)))
        return strtoull(text, NULL, 10) * 1000;
    if (read_line("/proc/cpuinfo", "cpu MHz", text, sizeof(text)))
        return (uint64_t)(strtod(text, NULL) * 1e6);
    return 0;
}

/* ---- answers */

static int32_t answer_text(struct trm_backend_instance *instance, uint32_t key, void *value,
                           uint64_t capacity, uint64_t *needed)
{
    char text[TEXT_BYTES];
    if (key == TRM_DEVICE_DRIVER)
        snprintf(text, sizeof(text), "%u worker threads", instance->pool.size);
    else if (!read_line("/proc/cpuinfo", "model name", text, sizeof(text)) || text[0] == '\0')
        snprintf(text, sizeof(text), "CPU");
    return trm_util_answer(instance->host, text, strlen(text) + 1, value, capacity, needed);
}

/* One number; false for a key that has no such answer here. */
static bool find_number(struct trm_backend_instance *instance, uint32_t key, uint64_t *number)
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
        *number = free_bytes(instance);
        return true;
    case TRM_DEVICE_UNIFIED:
    case TRM_DEVICE_SUBGROUP_SIZE:
    case TRM_DEVICE_BUFFER_ALIGNMENT: /* what a kernel needs beyond a byte is between it and the program */
        *number = 1;
        return true;
    case TRM_DEVICE_UNITS:
    case TRM_DEVICE_COPY_ENGINES:
        *number = instance->pool.size;
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
    case TRM_DEVICE_TIMESTAMP_HZ:
        *number = 1000000000;
        return true;
    case TRM_DEVICE_SYNCHRONOUS:
        *number = 0;
        return true;
    case TRM_DEVICE_CLOCK_HZ:
        *number = clock_hertz();
        return *number != 0;
    case TRM_DEVICE_CACHE_BYTES:
        *number = cpu_cache_bytes();
        return *number != 0;
    default:
        return false;
    }
}

static int32_t device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed)
{
    /* Their product is the number of groups, which kernels see as 64 bits. */
    static const uint64_t most_groups[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    static const uint64_t most_items[3]  = {CPU_MAX_GROUP_ITEMS, CPU_MAX_GROUP_ITEMS, CPU_MAX_GROUP_ITEMS};
    uint64_t number;
    if (index != 0)
        return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                             "There is one cpu device, number %u does not exist.", index);
    if (key == TRM_DEVICE_NAME || key == TRM_DEVICE_DRIVER)
        return answer_text(instance, key, value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUPS)
        return trm_util_answer(instance->host, most_groups, sizeof(most_groups), value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUP_SIZE)
        return trm_util_answer(instance->host, most_items, sizeof(most_items), value, capacity, needed);
    if (find_number(instance, key, &number))
        return trm_util_answer(instance->host, &number, sizeof(number), value, capacity, needed);
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0, "The cpu device has no fact number %u.",
                         key);
}

static int32_t device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    *count = 1;
    return TRM_OK;
}

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **result)
{
    if (index != 0)
        return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                             "There is one cpu device, number %u does not exist.", index);
    struct trm_backend_device *device = cpu_allocate(instance, sizeof(*device));
    if (device == NULL)
        return trm_util_fail_host_memory(instance->host, "a device");
    device->instance = instance;
    *result          = device;
    return TRM_OK;
}

static void device_close(struct trm_backend_device *device)
{
    trm_util_release(device->instance->host, device, sizeof(*device));
}

const struct trm_device_ops cpu_device_ops = {
    .struct_size = sizeof(cpu_device_ops),
    .count       = device_count,
    .get_info    = device_get_info,
    .open        = device_open,
    .close       = device_close,
};
