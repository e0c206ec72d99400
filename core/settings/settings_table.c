/* The table of all settings. `trireme info --settings` prints it, and the manual is made of it
 * (doc/update-settings).
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/settings/settings.h"

/* Of the first version of struct trm_setting_info. */
#define SETTING_INFO_LEAST 48

static bool is_absolute(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "an absolute path");
    return value[0] == '/';
}

static bool is_cache(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "an absolute folder, or none");
    return value[0] == '/' || strcmp(value, "none") == 0;
}

static bool is_program(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "the name of a program, its absolute path, or none");
    return value[0] == '/' || strchr(value, '/') == NULL;
}

static bool is_library(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "the name of a library, or its absolute path");
    return value[0] == '/' || strchr(value, '/') == NULL;
}

static bool is_log_level(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "none, error, warning, info or debug, or a number from 0 to 4");
    return base_log_level(value) >= 0;
}

static bool is_copy_method(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "auto, engine or kernel");
    return strcmp(value, "auto") == 0 || strcmp(value, "engine") == 0 || strcmp(value, "kernel") == 0;
}

static bool is_coarsening(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "auto, always or never");
    return strcmp(value, "auto") == 0 || strcmp(value, "always") == 0 || strcmp(value, "never") == 0;
}

static bool is_element_type(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity, "the name of an element type, such as f32, i32 or u8");
    return base_type_parse(value) != TRM_TYPE_NONE;
}

static bool is_collective_way(const char *value, char *allowed, size_t capacity)
{
    static const char *const ways[] = {"auto", "one-shot", "two-shot", "root", "copies", "host", "nccl"};

    snprintf(allowed, capacity, "auto, one-shot, two-shot, root, copies, host or nccl");
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(value, ways[i]) == 0)
            return true;
    return false;
}

#define MOST_CPU_DEVICES 16
#define MOST_LOSS 255 /* characters, which is what the backend reads */

/* "1@20", or several of these with commas between: device 1 at its launch 20. */
static bool is_loss(const char *value, char *allowed, size_t capacity)
{
    snprintf(allowed, capacity,
             "DEVICE@LAUNCH, such as 1@20, or several with commas between: devices from 0 to %d, each once, "
             "and at most %d characters",
             MOST_CPU_DEVICES - 1, MOST_LOSS);
    uint32_t named = 0; /* a bit for each device */
    if (strlen(value) > MOST_LOSS)
        return false;
    for (;;) {
        size_t device = strspn(value, "0123456789"), launch;
        if (device == 0 || device > 2 || value[device] != '@' || atoi(value) >= MOST_CPU_DEVICES ||
            (named >> atoi(value) & 1) != 0)
            return false;
        named |= 1u << atoi(value);
        value += device + 1;
        launch = strspn(value, "0123456789");
        if (launch == 0 || launch > 18 || strspn(value, "0") == launch)
            return false;
        value += launch;
        if (*value != ',')
            return *value == '\0';
        value++;
    }
}

static bool is_profile(const char *value, char *allowed, size_t capacity)
{
    size_t length   = strlen(value);
    const char *end = value + length;
    snprintf(allowed, capacity, "a path that ends in .json or .txt");
    return (length > 5 && strcmp(end - 5, ".json") == 0) || (length > 4 && strcmp(end - 4, ".txt") == 0);
}

#define INFO(type_, name_, variable_, default_, secure_, help_)                                     \
    {                                                                                               \
        .struct_size = sizeof(struct trm_setting_info), .type = (type_), .name = (name_),           \
        .variable = (variable_), .default_value = (default_), .help = (help_), .secure = (secure_), \
    }

static const struct core_setting_row rows[] = {
    {
        .info  = INFO(TRM_SETTING_TEXT, "array.type", "TRIREME_ARRAY_TYPE", "f32", 0,
                      "The element type of arrays that a program creates with TRM_TYPE_NONE."),
        .check = is_element_type,
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "backend", "TRIREME_BACKEND", "", 1,
                      "The backend: a name that is required (cuda, or cuda:1 for its second device), a list "
                       "in order of preference (cuda,vulkan,cpu), all but some (^vulkan), or the "
                       "absolute path of a plugin; unset, the one with the best score."),
        .check = core_selection_check,
    },
    {
        .info = INFO(
            TRM_SETTING_PATHS, "backend.path", "TRIREME_BACKEND_PATH", "", 1,
            "Folders to search for backends before the folder beside the library and the installed one."),
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "collective.way", "TRIREME_COLLECTIVE_WAY", "auto", 0,
            "How collectives over a group of devices are done: one-shot, two-shot and root, by kernels that "
            "access the memory of all devices; copies, by copies between devices; host, through pinned "
            "host memory; nccl, by the library NCCL of the cuda backend; auto, root for small sums and "
            "else the fastest of those that the devices allow, as measured."),
        .check = is_collective_way,
    },
    {
        .info =
            INFO(TRM_SETTING_BYTES, "compiler.memory", "TRIREME_COMPILER_MEMORY", "4G", 0,
                 "The most memory (address space) of each process of a compiler that the library runs; 0: "
                 "no limit."),
    },
    {
        .info = INFO(TRM_SETTING_BYTES, "compiler.output", "TRIREME_COMPILER_OUTPUT", "256M", 0,
                     "The largest file that a compiler may write, its messages included; 0: no limit."),
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "compiler.time", "TRIREME_COMPILER_TIME", "60", 0,
            "Seconds after which a compiler that the library runs (cc, glslc, nvcc) is ended with all its "
            "processes, and the call fails; 0: no limit. Where glslc is not installed, libshaderc compiles "
            "GLSL in the process of the program: no setting limits its time or memory, and a warning says "
            "so."),
        .maximum = 86400,
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "config", "TRIREME_CONFIG", "", 1,
            "The file to read instead of the user's and the system's trireme.conf; a file cannot set it."),
        .check = is_absolute,
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "cpu.compiler", "TRIREME_CPU_COMPILER", "cc", 1,
            "The C compiler of the cpu backend for portable kernels: a name to look up in /usr/local/bin, "
            "/usr/bin and /bin, or an absolute path; none: only kernels with native code can be loaded."),
        .check = is_program,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cpu.devices", "TRIREME_CPU_DEVICES", "1", 0,
                        "Devices that the cpu backend shows; its worker threads are divided among them, so that "
                           "groups of devices can be tried on one machine."),
        .maximum = MOST_CPU_DEVICES,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "cpu.lose", "TRIREME_CPU_LOSE", "", 1,
                 "To try what a program does when a device is lost: 1@20 has cpu:1 fail like a lost device "
                 "at the 20th kernel launch that it runs; 0@40,1@20 names two devices. A warning names one "
                 "that cpu.devices does not make."),
        .check = is_loss,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cpu.spin", "TRIREME_CPU_SPIN", "12", 0,
                        "Microseconds for which a worker thread or a waiting thread of the cpu backend polls "
                           "for work before it sleeps."),
        .maximum = 1000,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cpu.workers", "TRIREME_CPU_WORKERS", "0", 0,
                        "Worker threads of the cpu backend; 0: one for each core that the process may use."),
        .maximum = 1024,
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "cuda.coarsen", "TRIREME_CUDA_COARSEN", "auto", 0,
            "Which launches on the cuda backend let one thread compute several items of a kernel with loops "
            "(thread coarsening), where its code can: always, never; auto, those that are large for the "
            "device."),
        .check = is_coarsening,
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "cuda.driver", "TRIREME_CUDA_DRIVER", "libcuda.so.1", 1,
                      "The library of NVIDIA's driver for the cuda backend: a name for the dynamic linker to "
                       "look up, or an absolute path."),
        .check = is_library,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "cuda.nccl", "TRIREME_CUDA_NCCL", "libnccl.so.2", 1,
                 "NVIDIA's library of collectives (NCCL), which the cuda backend opens for collectives over "
                 "several devices: a name for the dynamic linker to look up, or an absolute path; none: "
                 "it is not used."),
        .check = is_library,
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "cuda.nvrtc", "TRIREME_CUDA_NVRTC", "", 1,
                      "The library of CUDA's run-time compiler (NVRTC), which the cuda backend opens when it "
                       "compiles a kernel: a name for the dynamic linker to look up, or an absolute path; "
                       "unset, the newest that the driver supports, by name or in /usr/local/cuda/lib64."),
        .check = is_library,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cuda.resident.groups", "TRIREME_CUDA_RESIDENT_GROUPS", "8", 0,
                        "The most groups with which a kernel that stays on a device (the strategy resident) "
                           "works on one token; they wait for each other after each stage."),
        .maximum = 64,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cuda.resident.idle", "TRIREME_CUDA_RESIDENT_IDLE", "5000", 0,
                        "Microseconds without a token after which a kernel that stays on a device leaves it "
                           "until the next one."),
        .maximum = 1000000,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cuda.resident.limit", "TRIREME_CUDA_RESIDENT_LIMIT", "10000", 0,
                        "Milliseconds without the end of a token after which a kernel that stays on a device "
                           "is told to end without it, and its tokens fail with TRM_ERROR_TIME_LIMIT; "
                           "0: never."),
        .maximum = 1000000000,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "cuda.spin", "TRIREME_CUDA_SPIN", "", 0,
                        "Microseconds for which a wait of the cuda backend polls before it sleeps; "
                           "unset, 10000 "
                           "where the process may use four processors or more, else 100."),
        .maximum = 100000,
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "device", "TRIREME_DEVICE", "", 0,
                      "The device of a program that names none: by number (cuda:1), by UUID "
                       "(cuda:uuid=6e6f7420-…) or by a shell pattern of its name (cuda:name=*H200*); unset, "
                       "the first device of the preferred backend."),
        .check = core_device_id_check,
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "devices", "TRIREME_DEVICES", "", 0,
                 "The devices of a group for which the program names none: ids separated by commas, as for "
                 "`device`; cuda:* for all of a backend, * for all; unset, the default device alone."),
    },
    {
        .info =
            INFO(TRM_SETTING_BOOL, "kernel.barriers", "TRIREME_KERNEL_BARRIERS", "no", 0,
                 "On the cpu, fail a launch of a portable kernel in which some work-items of a group come to "
                 "a barrier and others do not, and check every index as kernel.bounds does. Kernels with "
                 "cooperative matrices are not examined. Other backends warn that they check nothing. "
                 "Slower."),
    },
    {
        .info =
            INFO(TRM_SETTING_BOOL, "kernel.bounds", "TRIREME_KERNEL_BOUNDS", "no", 0,
                 "Check every index of a portable kernel. On cpu and cuda one that is outside of its "
                 "array, vector or buffer fails the launch, and the sentence names the variable, its line, "
                 "the index and the size; vulkan uses the driver's robust access to buffers, and the launch "
                 "succeeds. A warning says where arguments of a launch overlap in part while one of them is "
                 "written. Slower."),
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "kernel.cache", "TRIREME_KERNEL_CACHE", "", 1,
                      "The folder of the cache of compiled kernels, or none for no cache; unset, trireme in "
                       "$XDG_CACHE_HOME, else in ~/.cache."),
        .check = is_cache,
    },
    {
        .info = INFO(TRM_SETTING_BYTES, "kernel.cache.size", "TRIREME_KERNEL_CACHE_SIZE", "256M", 0,
                     "The largest total size of the compiled kernels in the cache; the least recently used "
                     "are evicted first."),
    },
    {
        .info =
            INFO(TRM_SETTING_COUNT, "kernel.instructions", "TRIREME_KERNEL_INSTRUCTIONS", "50000", 0,
                 "The most instructions of a kernel, once its calls are inlined, that the library translates "
                 "to C or CUDA C: compilers take a time that grows with the square of it."),
        .maximum = 1000000,
    },
    {
        .info = INFO(TRM_SETTING_PATHS, "kernel.path", "TRIREME_KERNEL_PATH", "", 1,
                     "Folders to search for kernels by name before the folder beside the library and the "
                     "installed one."),
    },
    {
        .info = INFO(TRM_SETTING_BYTES, "kernel.text", "TRIREME_KERNEL_TEXT", "8M", 0,
                     "The longest C or CUDA C that the library makes of one module, its tables of constants "
                     "included."),
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
        .info = INFO(TRM_SETTING_BYTES, "pool.slab", "TRIREME_POOL_SLAB", "32M", 0,
                     "The largest block of memory that a pool requests from the driver to divide among small "
                     "buffers."),
    },
    {
        .info = INFO(TRM_SETTING_BYTES, "pool.threshold", "TRIREME_POOL_THRESHOLD", "512M", 0,
                     "Memory of freed buffers that a device keeps for reuse; the pool returns more than that "
                     "to the driver."),
    },
    {
        .info =
            INFO(TRM_SETTING_TEXT, "profile.file", "TRIREME_PROFILE", "", 1,
                 "The file into which a profile of each context is written when it is destroyed or the "
                 "program exits: *.json, a trace with all numbers, or *.txt, a summary. %p in the name is "
                 "the number of the process; contexts after the first put their number before the suffix."),
        .check = is_profile,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "profile.interval", "TRIREME_PROFILE_INTERVAL", "0", 0,
            "One in so many operations of a stream is timed in the profile of profile.file; 1: all; 0: as "
            "many as take at most a twentieth of the time."),
        .maximum = 1000000,
    },
    {
        .info = INFO(TRM_SETTING_BOOL, "stream.measure", "TRIREME_STREAM_MEASURE", "yes", 0,
                     "Measure how many streams a device runs side by side, in the first few runs, when the "
                     "first stream pool is made that leaves its size to the library."),
    },
    {
        .info = INFO(
            TRM_SETTING_BOOL, "stream.models", "TRIREME_STREAM_MODELS", "yes", 0,
            "Keep what stream pools learn of kernels in the folder of kernel.cache, and read it in later "
            "runs; trireme info --models shows it."),
    },
    {
        .info = INFO(
            TRM_SETTING_BOOL, "stream.serial", "TRIREME_SERIAL", "no", 0,
            "Wait for each operation of a stream before the call that enqueues it returns, so that a failure "
            "appears at its call. Waits for other streams and for semaphores are not waited for, nor what is "
            "enqueued behind one while it lasts. Slow: for debugging."),
    },
    {
        .info = INFO(
            TRM_SETTING_TEXT, "vulkan.copies", "TRIREME_VULKAN_COPIES", "auto", 0,
            "How the vulkan backend copies between host and device: engine, by Vulkan's copy commands; "
            "kernel, by kernels; auto, the faster one with NVIDIA's driver, and copy commands elsewhere."),
        .check = is_copy_method,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "vulkan.items", "TRIREME_VULKAN_ITEMS", "0", 0,
            "Items of a large grid that one invocation of a kernel without loops processes on the vulkan "
            "backend (thread coarsening), up to 8; 1 turns it off, 0 chooses the best for the device."),
        .maximum = 8,
    },
    {
        .info  = INFO(TRM_SETTING_TEXT, "vulkan.loader", "TRIREME_VULKAN_LOADER", "libvulkan.so.1", 1,
                      "The Vulkan loader for the vulkan backend: a name for the dynamic linker to "
                       "look up, or "
                       "an absolute path."),
        .check = is_library,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "vulkan.resident.wait", "TRIREME_VULKAN_RESIDENT_WAIT", "500", 0,
                        "Microseconds for which a token of the strategy resident waits at most for others with "
                           "which it can be submitted, unless a thread waits for it before."),
        .maximum = 60000000,
    },
    {
        .info    = INFO(TRM_SETTING_COUNT, "vulkan.spin", "TRIREME_VULKAN_SPIN", "100", 0,
                        "Microseconds for which a wait of the vulkan backend polls before it sleeps."),
        .maximum = 1000,
    },
    {
        .info = INFO(
            TRM_SETTING_COUNT, "vulkan.unroll", "TRIREME_VULKAN_UNROLL", "0", 0,
            "Rounds that a kernel's innermost loop does in one turn on the vulkan backend where only the "
            "launch knows how many there are, up to 16; 1 turns it off, 0 chooses the best for the device."),
        .maximum = 16,
    },
    {
        .info = INFO(TRM_SETTING_BOOL, "vulkan.validation", "TRIREME_VULKAN_VALIDATION", "no", 0,
                     "Check all Vulkan calls of the vulkan backend by the Khronos validation layer, with "
                     "synchronization validation and best practices; its messages go to the log. Slow."),
    },
};
#undef INFO

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROW_COUNT <= CORE_SETTINGS_MAX, "a context has room for every row");
_Static_assert(CORE_SETTINGS_MAX <= 64, "a file notes in a bit for each row whether it has set that");

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

bool core_setting_is_foreign(const char *name)
{
    size_t group = strcspn(name, ".");
    if (group == 0 || name[group] != '.' || name[group + 1] == '\0')
        return false;
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(name))
        return false;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *known = rows[i].info.name;
        if (strcspn(known, ".") == group && strncmp(known, name, group) == 0)
            return false;
    }
    return true;
}

const char *core_setting_near(const char *name)
{
    const char *near = NULL;
    uint32_t nearest = BASE_EDIT_FAR;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        uint32_t distance = base_edit_distance(name, rows[i].info.name);
        if (distance < nearest && distance < strlen(name)) {
            nearest = distance;
            near    = rows[i].info.name;
        }
    }
    return near;
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
    int32_t status = core_output_check(info, "trm_setting_describe", "info");
    if (status != TRM_OK)
        return status;
    if (index >= ROW_COUNT)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "there is no setting at index %u; the number of settings is %zu", index, ROW_COUNT);
    if (!core_struct_copy_out(info, &rows[index].info, sizeof(rows[index].info), SETTING_INFO_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_setting_info.struct_size is %u, but its size is %zu", info->struct_size,
                         sizeof(*info));
    return TRM_OK;
}
