/* cuda backend: finds and opens NVRTC at run time.
 * SPDX-License-Identifier: MIT
 */
#include "compiler.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"

#define MAX_NAMES 16
#define OLDEST 11 /* the oldest CUDA whose NVRTC makes cubins */
#define TRIED_BYTES 1024

/* Where the toolkit installs itself, for systems whose dynamic linker does not look there. */
#define TOOLKIT "/usr/local/cuda/lib64/"

struct names {
    char list[MAX_NAMES][TRM_PATH_MOST];
    int count;
};

/* ---- which library --------------------------------------------------------------------------- */

static void add_name(struct names *names, const char *folder, int version)
{
    if (names->count < MAX_NAMES)
        snprintf(names->list[names->count++], TRM_PATH_MOST, "%slibnvrtc.so.%d", folder, version);
}

/* The name of the setting cuda.nvrtc; or else all versions up to the driver's, newest first, since a
 * driver accepts nothing from a newer compiler. */
static void find_names(const struct trm_backend_instance *instance, struct names *names)
{
    static const char *const from[] = {"", TOOLKIT};
    const struct trm_host *host     = instance->host;
    uint64_t needed                 = 0;
    int32_t status =
        host->get_setting(host->context, "cuda.nvrtc", names->list[0], sizeof(names->list[0]), &needed);
    names->count = 1;
    if (status == TRM_OK && names->list[0][0] != '\0')
        return;
    names->count = 0;
    for (size_t folder = 0; folder < sizeof(from) / sizeof(from[0]); folder++)
        for (int version = instance->driver_version / 1000; version >= OLDEST; version--)
            add_name(names, from[folder], version);
}

/* NULL: the reason was appended to `tried`. */
static void *open_name(const struct trm_backend_instance *instance, const char *name, char tried[TRIED_BYTES],
                       int32_t *status)
{
    const struct trm_host *host = instance->host;
    size_t used                 = strlen(tried);
    *status                     = TRM_ERROR_UNSUPPORTED;
    if (strchr(name, '/') != NULL) {
        if (access(name, F_OK) != 0) {
            snprintf(tried + used, TRIED_BYTES - used, "%s%s: there is no such file", used != 0 ? "; " : "",
                     name);
            return NULL;
        }
        *status = host->trust_file(host->context, name);
        if (*status != TRM_OK)
            return NULL;
        *status = TRM_ERROR_UNSUPPORTED;
    }
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(tried + used, TRIED_BYTES - used, "%s%s", used != 0 ? "; " : "", why != NULL ? why : name);
    }
    return library;
}

/* ---- what is in it --------------------------------------------------------------------------- */

#define ENTRY(name)                                        \
    {                                                      \
#name, offsetof(struct cuda_nvrtc_functions, name) \
    }
static const struct {
    const char *name;
    size_t offset;
} entries[] = {
    ENTRY(nvrtcVersion),
    ENTRY(nvrtcGetErrorString),
    ENTRY(nvrtcCreateProgram),
    ENTRY(nvrtcDestroyProgram),
    ENTRY(nvrtcCompileProgram),
    ENTRY(nvrtcGetProgramLogSize),
    ENTRY(nvrtcGetProgramLog),
    ENTRY(nvrtcGetNumSupportedArchs),
    ENTRY(nvrtcGetSupportedArchs),
    ENTRY(nvrtcGetCUBINSize),
    ENTRY(nvrtcGetCUBIN),
    ENTRY(nvrtcGetPTXSize),
    ENTRY(nvrtcGetPTX),
};

/* The name of the first function that is missing; NULL when all are there. */
static const char *fill(void *library, struct cuda_nvrtc_functions *nvrtc)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        void *symbol = dlsym(library, entries[i].name);
        if (symbol == NULL)
            return entries[i].name;
        memcpy((unsigned char *)nvrtc + entries[i].offset, &symbol, sizeof(symbol));
    }
    return NULL;
}

static int compare_numbers(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

/* Query the architectures that it knows. False: it does not say. */
static bool find_architectures(struct cuda_compiler *compiler)
{
    int count = 0;
    if (compiler->nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0 ||
        count > CUDA_NVRTC_ARCHITECTURES)
        return false;
    if (compiler->nvrtc.nvrtcGetSupportedArchs(compiler->architectures) != NVRTC_SUCCESS)
        return false;
    compiler->architecture_count = count;
    qsort(compiler->architectures, (size_t)count, sizeof(compiler->architectures[0]), compare_numbers);
    return true;
}

/* False where there is no room. The loader wrote the name, perhaps in another thread, under a lock that the
 * thread sanitizer does not see; it sees the calls of strlen() or memcpy() that a plain copy would become. */
static bool __attribute__((no_sanitize("thread")))
copy_name(char *copy, size_t most, const volatile char *name)
{
    size_t length = 0;
    while (length < most && (copy[length] = name[length]) != '\0')
        length++;
    return length < most;
}

/* For <toolkit>/lib64/libnvrtc.so.13 and <toolkit>/targets/<machine>/lib/libnvrtc.so.13.0.88 the headers
 * are in `include` beside the library's folder. */
static void find_include(struct cuda_compiler *compiler)
{
    char name[PATH_MAX], real[PATH_MAX], probe[TRM_PATH_MOST];
    Dl_info info;
    void *symbol;
    memcpy(&symbol, &compiler->nvrtc.nvrtcVersion, sizeof(symbol));
    if (dladdr(symbol, &info) == 0 || info.dli_fname == NULL ||
        !copy_name(name, sizeof(name), info.dli_fname) || realpath(name, real) == NULL)
        return;
    const char *folder = dirname(dirname(real));
    int length         = snprintf(probe, sizeof(probe), "%s/include/cuda_fp16.h", folder);
    if (length < 0 || (size_t)length >= sizeof(probe) || access(probe, R_OK) != 0)
        return;
    snprintf(compiler->include, sizeof(compiler->include), "%.*s", length - (int)strlen("/cuda_fp16.h"),
             probe);
}

static int32_t set_up(const struct trm_backend_instance *instance, const char *name,
                      struct cuda_compiler *compiler)
{
    const char *missing = fill(compiler->library, &compiler->nvrtc);
    if (missing != NULL)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "%.200s is not a usable NVRTC: it has no function %s.", name, missing);
    if (compiler->nvrtc.nvrtcVersion(&compiler->major, &compiler->minor) != NVRTC_SUCCESS ||
        !find_architectures(compiler))
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "%.200s does not say which architectures it compiles for.", name);
    find_include(compiler);
    return TRM_OK;
}

/* ---- the instance's compiler ----------------------------------------------------------------- */

static int32_t open_library(struct trm_backend_instance *instance, struct cuda_compiler *compiler,
                            struct names *names)
{
    char tried[TRIED_BYTES] = "";
    int32_t status          = TRM_ERROR_UNSUPPORTED;
    find_names(instance, names);
    for (int i = 0; i < names->count; i++) {
        compiler->library = open_name(instance, names->list[i], tried, &status);
        if (compiler->library != NULL)
            return set_up(instance, names->list[i], compiler);
        if (status != TRM_ERROR_UNSUPPORTED)
            return status;
    }
    return trm_util_fail(instance->host, status, 0,
                         "NVRTC, which compiles CUDA C, was not found: install libnvrtc of the "
                         "CUDA toolkit, or set cuda.nvrtc to its path. Tried: %.700s.",
                         tried);
}

static void compiler_destroy(struct trm_backend_instance *instance, struct cuda_compiler *compiler)
{
    if (compiler->library != NULL)
        dlclose(compiler->library);
    trm_util_release(instance->host, compiler, sizeof(*compiler));
}

static int32_t compiler_create(struct trm_backend_instance *instance, struct cuda_compiler **compiler)
{
    struct cuda_compiler *made = trm_util_allocate(instance->host, sizeof(*made));
    struct names *names        = trm_util_allocate(instance->host, sizeof(*names));
    int32_t status             = made != NULL && names != NULL
                                     ? open_library(instance, made, names)
                                     : trm_util_fail_host_memory(instance->host, "the compiler");
    trm_util_release(instance->host, names, sizeof(*names));
    if (status == TRM_OK)
        *compiler = made;
    else if (made != NULL)
        compiler_destroy(instance, made);
    return status;
}

int32_t cuda_compiler_get(struct trm_backend_instance *instance, struct cuda_compiler **compiler)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&instance->compiler_lock);
    if (instance->compiler == NULL)
        status = compiler_create(instance, &instance->compiler);
    instance->compiler_close = cuda_compiler_close;
    if (status == TRM_OK)
        *compiler = instance->compiler;
    pthread_mutex_unlock(&instance->compiler_lock);
    return status;
}

void cuda_compiler_close(struct trm_backend_instance *instance)
{
    if (instance->compiler != NULL)
        compiler_destroy(instance, instance->compiler);
    instance->compiler = NULL;
}
