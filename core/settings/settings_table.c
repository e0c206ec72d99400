/* The table of all settings: what `trireme info --settings` prints and the manual is held to.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/settings/settings.h"

/* Of the first version of struct trm_setting_info. */
#define SETTING_INFO_LEAST 48

static int32_t is_absolute(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "an absolute path");
    return value[0] == '/';
}

static int32_t is_cache(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "an absolute folder, or none");
    return value[0] == '/' || strcmp(value, "none") == 0;
}

static int32_t is_program(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "the name of a program, its absolute path, or none");
    return value[0] == '/' || strchr(value, '/') == NULL;
}

static int32_t is_library(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "the name of a library, or its absolute path");
    return value[0] == '/' || strchr(value, '/') == NULL;
}

static int32_t is_log_level(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "none, error, warning, info or debug, or a number from 0 to 4");
    return base_log_level(value) >= 0;
}

static int32_t is_way_of_copying(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "auto, engine or kernel");
    return strcmp(value, "auto") == 0 || strcmp(value, "engine") == 0 || strcmp(value, "kernel") == 0;
}

#define INFO(type_, name_, variable_, default_, secure_, help_)                                     \
    {                                                                                               \
        .struct_size = sizeof(struct trm_setting_info), .type = (type_), .name = (name_),           \
        .variable = (variable_), .default_value = (default_), .help = (help_), .secure = (secure_), \
    }

static const struct core_setting_row rows[] = {
    {
        .info =
            INFO(TRM_SETTING_TEXT, "backend", "TRIREME_BACKEND", "", 1,
                 "Which backend is used: one name (cuda, or cuda:1 for its second device) that must be had, "
                 "a list "
                 "to be tried in order (cuda,vulkan,cpu), all but some (^vulkan), or the absolute path of a "
                 "plugin; unset, the one with the best score."),
        .check = core_selection_check,
    },
    {
        .info = INFO(
            TRM_SETTING_PATHS, "backend.path", "TRIREME_BACKEND_PATH", "", 1,
            "Folders that are searched for backends before the one beside the library and the one it was "
            "installed for."),
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "config", "TRIREME_CONFIG", "", 1,
            "The file to read instead of the user's and the system's trireme.conf; it cannot be set in a "
            "file."),
        .check = is_absolute,
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "cpu.compiler", "TRIREME_CPU_COMPILER", "cc", 1,
                      "The C compiler that makes code of portable kernels for the cpu backend: a name that is "
                       "looked up in "
                       "/usr/local/bin, /usr/bin and /bin, or an absolute path; none: kernels that are not "
                       "there as native "
                       "code cannot be loaded."),
        .check = is_program,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "cpu.spin", "TRIREME_CPU_SPIN", "12", 0,
            "Microseconds for which a worker thread or a waiting thread of the cpu backend looks for work "
            "before it sleeps."),
        .most = 1000,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "cpu.workers", "TRIREME_CPU_WORKERS", "0", 0,
            "Threads that do the work of the cpu backend; 0: one for each core that the process may use."),
        .most = 1024,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "cuda.driver", "TRIREME_CUDA_DRIVER", "libcuda.so.1", 1,
                 "The library of NVIDIA's driver that the cuda backend uses: a name that the dynamic linker "
                 "looks up, or an absolute path."),
        .check = is_library,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "cuda.nvrtc", "TRIREME_CUDA_NVRTC", "", 1,
                 "The library of CUDA's run-time compiler (NVRTC), which the cuda backend opens when it has "
                 "to compile a kernel: a name that the dynamic linker looks up, or an absolute path; unset, "
                 "the newest that the driver takes, by its name or in /usr/local/cuda/lib64."),
        .check = is_library,
    },
    {
        .info = INFO(TRM_SETTING_COUNT, "cuda.spin", "TRIREME_CUDA_SPIN", "", 0,
                     "Microseconds for which a wait of the cuda backend looks for the end of the work before "
                     "it sleeps; "
                     "unset, 10000 where the process may use four processors or more, and else 100."),
        .most = 100000,
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "device", "TRIREME_DEVICE", "", 0,
            "The device that a program gets when it names none, by its number (cuda:1), its UUID "
            "(cuda:uuid=6e6f7420-…) or a pattern of its name as the shell's (cuda:name=*H200*); unset, the "
            "first of the preferred backend."),
        .check = core_device_id_check,
    },
    {
        .info = INFO(
            TRM_SETTING_BOOL, "kernel.bounds", "TRIREME_KERNEL_BOUNDS", "no", 0,
            "Check every access of a portable kernel to its buffers, where the backend can: what is outside "
            "fails the launch. Slower."),
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "kernel.cache", "TRIREME_KERNEL_CACHE", "", 1,
                      "The folder in which compiled kernels are kept, none to keep none; unset, trireme in "
                       "$XDG_CACHE_HOME, or else in ~/.cache."),
        .check = is_cache,
    },
    {
        .info = INFO(TRM_SETTING_BYTES, "kernel.cache.size", "TRIREME_KERNEL_CACHE_SIZE", "256M", 0,
                     "What all compiled kernels in the cache may take together; those that were not used for "
                     "the longest "
                     "time go first."),
    },
    {
        .info = INFO(TRM_SETTING_PATHS, "kernel.path", "TRIREME_KERNEL_PATH", "", 1,
                     "Folders that are searched for kernels by name before the one beside the library and "
                     "the one they "
                     "were installed in."),
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "log.file", "TRIREME_LOG_FILE", "", 1,
                 "The file to which the lines of the log are appended, with time, level, thread and room; "
                 "unset, none."),
        .check = is_absolute,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "log.level", "TRIREME_LOG", "warning", 0,
                 "Which lines are logged: none, error, warning, info or debug, or a number from 0 to 4. The "
                 "program's log function gets them; a program that has none writes them to standard error "
                 "when TRIREME_LOG is set."),
        .check = is_log_level,
    },
    {
        .info = INFO(
            TRM_SETTING_BYTES, "pool.slab", "TRIREME_POOL_SLAB", "32M", 0,
            "The largest piece of memory that a pool asks of the driver at once to divide it among small "
            "buffers."),
    },
    {
        .info =
            INFO(TRM_SETTING_BYTES, "pool.threshold", "TRIREME_POOL_THRESHOLD", "512M", 0,
                 "Memory of freed buffers that a device keeps for reuse; what is above it goes back to the "
                 "driver."),
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "vulkan.copies", "TRIREME_VULKAN_COPIES", "auto", 0,
            "What copies between the host's memory and a device of the vulkan backend: engine, the commands "
            "of Vulkan for it; kernel, kernels; auto, whichever is faster with NVIDIA's own driver, and "
            "elsewhere the commands."),
        .check = is_way_of_copying,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "vulkan.items", "TRIREME_VULKAN_ITEMS", "0", 0,
            "How many items of a large grid a kernel of the vulkan backend that has no loops does in one "
            "invocation, up to 8: 1, none so; 0, as is best for the device."),
        .most = 8,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "vulkan.loader", "TRIREME_VULKAN_LOADER", "libvulkan.so.1", 1,
                 "The Vulkan loader of the vulkan backend: a name that the dynamic linker looks up, or an "
                 "absolute path."),
        .check = is_library,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "vulkan.spin", "TRIREME_VULKAN_SPIN", "100", 0,
            "Microseconds for which a wait of the vulkan backend looks for the end of the work before it "
            "sleeps."),
        .most = 1000,
    },
    {
        .info = INFO(
            TRM_SETTING_BOOL, "vulkan.validation", "TRIREME_VULKAN_VALIDATION", "no", 0,
            "Have the Khronos validation layer check all that the vulkan backend does, with synchronisation "
            "validation and best practices; what it says goes to the log. Slow."),
    },
};
#undef INFO

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROW_COUNT <= CORE_SETTINGS_MOST, "a context has room for so many");

const struct core_setting_row *core_setting_row_at(uint32_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

const struct core_setting_row *core_setting_row(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].info.name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

int32_t core_setting_is_foreign(const char *name)
{
    size_t group = strcspn(name, ".");
    if (group == 0 || name[group] != '.' || name[group + 1] == '\0')
        return 0;
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(name))
        return 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *known = rows[i].info.name;
        if (strcspn(known, ".") == group && strncmp(known, name, group) == 0)
            return 0;
    }
    return 1;
}

void core_setting_variable(const char *name, char *variable, size_t capacity)
{
    snprintf(variable, capacity, "TRIREME_%s", name);
    for (char *letter = variable; *letter != '\0'; letter++) {
        if (*letter >= 'a' && *letter <= 'z')
            *letter = (char)(*letter - 'a' + 'A');
        else if (*letter == '.' || *letter == '-')
            *letter = '_';
    }
}

uint32_t trm_setting_count(void)
{
    return ROW_COUNT;
}

int32_t trm_setting_describe(uint32_t index, struct trm_setting_info *info)
{
    if (info == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_setting_describe: `info` is NULL");
    if (index >= ROW_COUNT)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "there is no setting number %u, only %zu of them", index,
                         ROW_COUNT);
    if (!core_struct_copy_out(info, &rows[index].info, sizeof(rows[index].info), SETTING_INFO_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_setting_info.struct_size is %u, but its size is %zu", info->struct_size,
                         sizeof(*info));
    return TRM_OK;
}
