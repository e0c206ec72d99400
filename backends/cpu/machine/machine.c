/* cpu backend: what the system says about the machine.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/machine/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 256

/* The kernel's mask may be larger than a cpu_set_t, so the set grows until the call succeeds. */
uint32_t cpu_processor_count(void)
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

/* Find the value of `key` in a file of lines "key : value". False when there is none. */
static bool read_value(const char *path, const char *key, char *value, size_t capacity)
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

/* ---- memory and caches */

/* The limit of the control group. UINT64_MAX without a limit: "max", or the huge number of an old kernel. */
static uint64_t group_limit(void)
{
    char text[TEXT_BYTES];
    if (!read_value("/sys/fs/cgroup/memory.max", "", text, sizeof(text)) &&
        !read_value("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", text, sizeof(text)))
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

uint64_t cpu_available_bytes(uint64_t physical_bytes)
{
    char text[TEXT_BYTES];
    uint64_t bytes = physical_bytes;
    if (read_value("/proc/meminfo", "MemAvailable", text, sizeof(text)))
        bytes = strtoull(text, NULL, 10) << 10;
    return bytes < physical_bytes ? bytes : physical_bytes;
}

/* The kernel is asked first: on some virtual machines the C library's answer is many times too large. */
uint64_t cpu_cache_bytes(void)
{
    static const char *const files[] = {"/sys/devices/system/cpu/cpu0/cache/index3/size",
                                        "/sys/devices/system/cpu/cpu0/cache/index2/size"};
    char text[TEXT_BYTES];
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (read_value(files[i], "", text, sizeof(text)))
            return strtoull(text, NULL, 10) << 10;
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* ---- the model */

/* "2794.748", in every locale. */
static uint64_t parse_megahertz(const char *text)
{
    char *end;
    uint64_t hertz = strtoull(text, &end, 10) * 1000000;
    if (*end != '.')
        return hertz;
    for (uint64_t unit = 100000; unit > 0 && *++end >= '0' && *end <= '9'; unit /= 10)
        hertz += unit * (uint64_t)(*end - '0');
    return hertz;
}

uint64_t cpu_clock_hertz(void)
{
    char text[TEXT_BYTES];
    if (read_value("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "", text, sizeof(text)))
        return strtoull(text, NULL, 10) * 1000;
    if (read_value("/proc/cpuinfo", "cpu MHz", text, sizeof(text)))
        return parse_megahertz(text);
    return 0;
}

void cpu_model_name(char *name, size_t capacity)
{
    if (!read_value("/proc/cpuinfo", "model name", name, capacity) || name[0] == '\0')
        snprintf(name, capacity, "CPU");
}

/* Whether a line of /proc/cpuinfo describes the model: it is the same at all times and for all cores of one
 * kind. */
static bool is_model_line(const char *line)
{
    static const char *const keys[] = {
        "vendor_id",       "cpu family",  "model",    "stepping",     "flags",
        "CPU implementer", "CPU variant", "CPU part", "CPU revision", "CPU architecture",
        "Features",        "isa",         "uarch",    "cpu",          "machine",
    };
    size_t length = strcspn(line, "\t:");
    while (length > 0 && line[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strlen(keys[i]) == length && strncmp(line, keys[i], length) == 0)
            return true;
    return strncmp(line, "model name", 10) == 0;
}

void cpu_machine_model(char model[CPU_MODEL_BYTES])
{
    char line[CPU_MODEL_BYTES];
    size_t used = (size_t)snprintf(model, CPU_MODEL_BYTES, "machine\n");
    FILE *file  = fopen("/proc/cpuinfo", "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof(line), file) != NULL && line[0] != '\n') {
        size_t length = strlen(line);
        if (!is_model_line(line) || length >= CPU_MODEL_BYTES - used)
            continue;
        memcpy(model + used, line, length + 1);
        used += length;
    }
    fclose(file);
}
