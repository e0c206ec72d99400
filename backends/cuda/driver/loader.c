/* cuda backend: opens libcuda at run time and fills the table of its functions.
 * SPDX-License-Identifier: MIT
 */
#include "loader.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trireme/backend_util.h>

#define USUAL_NAME "libcuda.so.1"
#define PATH_BYTES 4096
#define MIN_RELEASE 100

/* A function, the CUDA version whose form of it is wanted, and the offset of its pointer in the table. */
struct entry {
    const char *name;
    int version;
    size_t offset;
};

#define ENTRY(name, version) {#name, version, offsetof(struct cuda_functions, name)},
static const struct entry entries[]          = {CUDA_FUNCTIONS(ENTRY)};
static const struct entry optional_entries[] = {CUDA_OPTIONAL_FUNCTIONS(ENTRY)};
#undef ENTRY

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(sizeof(void *) == sizeof(PFN_cuInit_v2000), "one size of pointers");

/* What is needed before there is a table. */
struct start {
    PFN_cuInit_v2000 init;
    PFN_cuDriverGetVersion_v2020 version;
    PFN_cuGetProcAddress_v12000 find; /* either this one or the next */
    PFN_cuGetProcAddress_v11030 find_v1;
    PFN_cuGetErrorName_v6000 error_name;
    PFN_cuGetErrorString_v6000 error_text;
};

/* ---- the library ----------------------------------------------------------------------------- */

/* Read the setting: a name that the dynamic linker looks up, or a path whose folders only trusted users
 * may write. */
static int32_t read_setting(const struct trm_host *host, char *path, size_t capacity)
{
    uint64_t needed = 0;
    int32_t status  = host->get_setting(host->context, "cuda.driver", path, capacity, &needed);
    if (status != TRM_OK || path[0] == '\0')
        snprintf(path, capacity, USUAL_NAME);
    if (strchr(path, '/') == NULL)
        return TRM_OK;
    return host->trust_file(host->context, path);
}

static int32_t open_library(struct cuda_loader *loader, const char *path, char *reason, uint64_t capacity)
{
    loader->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (loader->library != NULL)
        return TRM_OK;
    const char *why = dlerror();
    size_t length   = strlen(path);
    if (why != NULL && strncmp(why, path, length) == 0 && strncmp(why + length, ": ", 2) == 0)
        why += length + 2; /* dlerror() often begins with the name */
    snprintf(reason, capacity, "%s%s cannot be opened: %s", path,
             strcmp(path, USUAL_NAME) == 0 ? ", which comes with NVIDIA's driver," : "",
             why != NULL ? why : "unknown reason");
    return TRM_ERROR_UNSUPPORTED;
}

static bool find_symbol(const struct cuda_loader *loader, const char *name, void *pointer)
{
    void *symbol = dlsym(loader->library, name);
    memcpy(pointer, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* The name of the first function that is missing; NULL when all are there. Drivers before CUDA 11.3 have
 * no cuGetProcAddress; they are refused later, by their version. */
static const char *find_start(const struct cuda_loader *loader, struct start *start)
{
    *start = (struct start){0};
    find_symbol(loader, "cuGetErrorName", &start->error_name);
    find_symbol(loader, "cuGetErrorString", &start->error_text);
    if (!find_symbol(loader, "cuGetProcAddress_v2", &start->find))
        find_symbol(loader, "cuGetProcAddress", &start->find_v1);
    if (!find_symbol(loader, "cuInit", &start->init))
        return "cuInit";
    return find_symbol(loader, "cuDriverGetVersion", &start->version) ? NULL : "cuDriverGetVersion";
}

/* Only the name of the file tells the driver's release: libcuda.so.1 is a link to libcuda.so.580.95.05. */
static void find_release(struct cuda_loader *loader)
{
    struct link_map *map = NULL;
    loader->release[0]   = '\0';
    if (dlinfo(loader->library, RTLD_DI_LINKMAP, &map) != 0 || map == NULL)
        return;
    char *path = realpath(map->l_name, NULL);
    if (path == NULL)
        return;
    const char *release = strstr(path, ".so.");
    size_t length       = release != NULL ? strspn(release + 4, "0123456789.") : 0;
    /* Releases of NVIDIA's driver for Linux have three digits; other libraries count from one. */
    if (length != 0 && release[4 + length] == '\0' && strtoul(release + 4, NULL, 10) >= MIN_RELEASE)
        snprintf(loader->release, sizeof(loader->release), "%s", release + 4);
    free(path);
}

/* ---- initialising ---------------------------------------------------------------------------- */

/* The process that initialised the driver; 0: none has. A child of that process has the driver's memory
 * but none of its threads, and cannot use it. */
static _Atomic pid_t initialised_by;

static bool is_forked_child(void)
{
    pid_t known = atomic_load(&initialised_by);
    return known != 0 && known != getpid();
}

static void note_process(void)
{
    pid_t none = 0;
    atomic_compare_exchange_strong(&initialised_by, &none, getpid());
}

/* Explain an error of cuInit for the machine's administrator; NULL: there is nothing to add to the
 * driver's text. */
static const char *advice_for(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_NO_DEVICE:
        return "there is no CUDA device, or CUDA_VISIBLE_DEVICES hides all of them";
    case CUDA_ERROR_STUB_LIBRARY:
        return "it is the toolkit's stub library and not a driver";
    case CUDA_ERROR_NOT_INITIALIZED:
        return "the driver cannot be initialised here; this may be the child of a process that has used it";
    case CUDA_ERROR_DEINITIALIZED:
        return "the process is exiting and the driver has shut down";
    case CUDA_ERROR_OPERATING_SYSTEM:
        return "the operating system denies access to the devices: the files "
               "/dev/nvidia* may be missing, or this user may not open them";
    case CUDA_ERROR_SYSTEM_NOT_READY:
        return "the devices are not ready: a service that they need, such as the fabric manager, may not be "
               "running";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return "libcuda and the kernel module have different versions; after an "
               "update of the driver, restart the machine";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return "this libcuda belongs to a compatibility package that does not support the device";
    case CUDA_ERROR_UNKNOWN:
        return "the driver does not say why it cannot start; the kernel module "
               "nvidia_uvm may not be loaded";
    default:
        return NULL;
    }
}

static void explain(const struct start *start, const char *call, CUresult result, char *reason,
                    uint64_t capacity)
{
    const char *name = NULL, *text = NULL;
    const char *words = advice_for(result);
    if (start->error_name == NULL || start->error_name(result, &name) != CUDA_SUCCESS || name == NULL)
        name = "an error without a name";
    if (words == NULL && start->error_text != NULL && start->error_text(result, &text) == CUDA_SUCCESS)
        words = text;
    snprintf(reason, capacity, "%s answered %s (%d)%s%s", call, name, (int)result, words != NULL ? ": " : "",
             words != NULL ? words : "");
}

static int32_t initialise(const struct start *start, int *version, char *reason, uint64_t capacity)
{
    sigset_t before;
    if (is_forked_child()) {
        snprintf(reason, capacity,
                 "the parent process has used CUDA, and the driver does not work in a child after fork()");
        return TRM_ERROR_UNSUPPORTED;
    }
    CUresult result = start->version(version);
    if (result != CUDA_SUCCESS) {
        explain(start, "cuDriverGetVersion", result, reason, capacity);
        return TRM_ERROR_UNSUPPORTED;
    }
    if (*version < CUDA_MIN_DRIVER) {
        snprintf(reason, capacity, "the driver supports CUDA %d.%d, but %d.%d is needed", *version / 1000,
                 *version % 1000 / 10, CUDA_MIN_DRIVER / 1000, CUDA_MIN_DRIVER % 1000 / 10);
        return TRM_ERROR_UNSUPPORTED;
    }
    trm_util_signals_block(&before);
    result = start->init(0);
    trm_util_signals_restore(&before);
    if (result == CUDA_SUCCESS) {
        note_process();
        return TRM_OK;
    }
    explain(start, "cuInit", result, reason, capacity);
    return result == CUDA_ERROR_OUT_OF_MEMORY ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_ERROR_UNSUPPORTED;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A driver older than the wanted form would return an earlier form, which has other parameters. */
static void *find_function(const struct start *start, const struct entry *entry, int driver_version)
{
    const cuuint64_t flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
    CUdriverProcAddressQueryResult found;
    void *function  = NULL;
    CUresult result = CUDA_ERROR_NOT_FOUND;
    if (entry->version > driver_version)
        return NULL;
    if (start->find != NULL)
        result = start->find(entry->name, &function, entry->version, flags, &found);
    else if (start->find_v1 != NULL)
        result = start->find_v1(entry->name, &function, entry->version, flags);
    return result == CUDA_SUCCESS ? function : NULL;
}

static void set_function(struct cuda_functions *cuda, const struct entry *entry, void *function)
{
    memcpy((unsigned char *)cuda + entry->offset, &function, sizeof(function));
}

/* Append "cuMemPoolCreate", or "cuMemPrefetchAsync (CUDA 12.2)" where a newer driver has it. */
static void note_missing(struct cuda_loader *loader, const struct entry *entry, int driver_version)
{
    size_t length = strlen(loader->missing);
    char *end     = loader->missing + length;
    size_t room   = sizeof(loader->missing) - length;
    if (entry->version > driver_version)
        snprintf(end, room, "%s%s (CUDA %d.%d)", length == 0 ? "" : ", ", entry->name, entry->version / 1000,
                 entry->version % 1000 / 10);
    else
        snprintf(end, room, "%s%s", length == 0 ? "" : ", ", entry->name);
}

static void fill_optional(const struct start *start, int driver_version, struct cuda_functions *cuda,
                          struct cuda_loader *loader)
{
    loader->missing[0] = '\0';
    for (size_t i = 0; i < COUNT(optional_entries); i++) {
        void *function = find_function(start, &optional_entries[i], driver_version);
        set_function(cuda, &optional_entries[i], function);
        if (function == NULL)
            note_missing(loader, &optional_entries[i], driver_version);
    }
}

/* The name of the first function that is missing; NULL when all are there. */
static const char *fill(const struct start *start, int driver_version, struct cuda_functions *cuda)
{
    for (size_t i = 0; i < COUNT(entries); i++) {
        void *function = find_function(start, &entries[i], driver_version);
        if (function == NULL)
            return entries[i].name;
        set_function(cuda, &entries[i], function);
    }
    return NULL;
}

static int32_t start_driver(struct cuda_loader *loader, const char *path, struct cuda_functions *cuda,
                            int *driver_version, char *reason, uint64_t capacity)
{
    struct start start;
    const char *missing = find_start(loader, &start);
    if (missing != NULL) {
        snprintf(reason, capacity, "%s is not a CUDA driver: it has no function %s", path, missing);
        return TRM_ERROR_UNSUPPORTED;
    }
    int32_t status = initialise(&start, driver_version, reason, capacity);
    if (status != TRM_OK)
        return status;
    missing = fill(&start, *driver_version, cuda);
    if (missing != NULL) {
        snprintf(reason, capacity, "the driver has no function %s", missing);
        return TRM_ERROR_UNSUPPORTED;
    }
    fill_optional(&start, *driver_version, cuda, loader);
    find_release(loader);
    return TRM_OK;
}

int32_t cuda_loader_open(const struct trm_host *host, struct cuda_loader *loader, struct cuda_functions *cuda,
                         int *driver_version, char *reason, uint64_t capacity)
{
    char path[PATH_BYTES];
    int32_t status = read_setting(host, path, sizeof(path));
    if (status == TRM_OK)
        status = open_library(loader, path, reason, capacity);
    if (status != TRM_OK)
        return status;
    memset(cuda, 0, sizeof(*cuda));
    status = start_driver(loader, path, cuda, driver_version, reason, capacity);
    if (status != TRM_OK)
        cuda_loader_close(loader);
    return status;
}

void cuda_loader_close(struct cuda_loader *loader)
{
    if (loader->library != NULL)
        dlclose(loader->library);
    *loader = (struct cuda_loader){0};
}
