/* cpu backend: portable kernels, made into shared objects.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/portable.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/cpu/module/compile.h"
#include "backends/cpu/module/kernel_table.h"

#define EXTENSION ".so"
#define DIGEST_BYTES 32

/* ---- modules of shared objects */

static bool is_same_parameter(const struct trm_parameter *one, const struct trm_parameter *other)
{
    if (one->kind != other->kind || strcmp(one->name, other->name) != 0)
        return false;
    if (one->kind == TRM_PARAMETER_SCALAR)
        return one->type == other->type;
    return one->kind != TRM_PARAMETER_BLOCK || one->size == other->size;
}

/* Whether a kernel has the parameters and the group size that were reflected. */
static bool is_same_interface(const struct trm_cpu_kernel *kernel, const struct trm_kernel_info *info)
{
    if (kernel->parameter_count != info->parameter_count)
        return false;
    for (int i = 0; i < 3; i++)
        if ((kernel->group_size[i] ? kernel->group_size[i] : 1) !=
            (info->group_size[i] ? info->group_size[i] : 1))
            return false;
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (!is_same_parameter(&kernel->parameters[i], &info->parameters[i]))
            return false;
    return true;
}

/* Find the kernel for number `index` of the source. Code that was made from the shader has its kernels in the
 * same order, under any name; code that was written by hand has them by name. */
static struct trm_backend_kernel *kernel_for(struct trm_backend_module *module,
                                             const struct trm_module_source *source, uint32_t index,
                                             bool is_handwritten)
{
    if (is_handwritten && (source->kernel_count > 1 || module->count > 1))
        return cpu_module_find_kernel(module, module->count, source->kernels[index].name);
    return index < module->count ? &module->kernels[index] : NULL;
}

/* Give the kernels of a module the names and parameters of the source. False when it lacks one of them. */
static bool adopt_interface(struct trm_backend_module *module, const struct trm_module_source *source,
                            bool is_handwritten)
{
    for (uint32_t i = 0; i < source->kernel_count; i++) {
        const struct trm_backend_kernel *kernel = kernel_for(module, source, i, is_handwritten);
        if (kernel == NULL || !is_same_interface(&kernel->source, &source->kernels[i]))
            return false;
    }
    for (uint32_t i = 0; i < source->kernel_count; i++) {
        struct trm_backend_kernel *kernel = kernel_for(module, source, i, is_handwritten);
        kernel->source.name               = source->kernels[i].name;
        kernel->source.parameters         = source->kernels[i].parameters;
    }
    return true;
}

/* Open a shared object and check that it belongs to the source. Explains a failure. */
static int32_t open_module(struct trm_backend_instance *instance, const char *path,
                           const struct trm_module_source *source, struct trm_backend_module **module)
{
    struct trm_backend_module *made = NULL;
    struct cpu_kernel_list list     = {0};
    void *library                   = NULL;
    int32_t status                  = cpu_library_open(instance, path, source->name, &library, &list);
    if (status != TRM_OK)
        return status;
    if (list.digest != NULL && memcmp(list.digest, source->digest, DIGEST_BYTES) != 0)
        status = trm_util_fail(instance->host, TRM_ERROR_ABI, 0,
                               "%.200s was made from another version of '%.60s'.", path, source->name);
    if (status == TRM_OK)
        status = cpu_module_create(instance, &list, &made);
    if (status == TRM_OK && !adopt_interface(made, source, list.digest == NULL)) {
        status = trm_util_fail(instance->host, TRM_ERROR_ABI, 0,
                               "%.200s does not have the kernels of '%.60s' with their parameters.", path,
                               source->name);
        trm_util_release(instance->host, made, made->size);
    }
    if (status != TRM_OK) {
        dlclose(library);
        return status;
    }
    made->library       = library;
    made->is_translated = list.digest != NULL;
    *module             = made;
    return TRM_OK;
}

/* ---- shared objects beside a named module */

/* NULL when there is none that can be used; the reason is in the log. */
static struct trm_backend_module *open_sibling(struct trm_backend_instance *instance,
                                               const struct trm_module_source *source)
{
    const struct trm_host *host       = instance->host;
    struct trm_backend_module *module = NULL;
    char path[TRM_PATH_MOST], line[TRM_PATH_MOST + 128];
    if (source->stem == NULL)
        return NULL;
    int written = snprintf(path, sizeof(path), "%s%s" EXTENSION, source->stem, source->variant);
    if (written < 0 || (size_t)written >= sizeof(path) || access(path, F_OK) != 0)
        return NULL;
    if (host->trust_file(host->context, path) != TRM_OK)
        snprintf(line, sizeof(line), "%s is not used: other users may write it or a folder above it", path);
    else if (open_module(instance, path, source, &module) != TRM_OK)
        snprintf(line, sizeof(line), "%s is not used: it does not belong to the shader beside it", path);
    else
        return module;
    host->log(host->context, TRM_LOG_WARNING, line);
    return NULL;
}

/* ---- compiling */

/* The key has everything that the code depends on: the text, which says what it was made from, the compiler,
 * its flags, and the model of the machine. */
static char *make_key(struct trm_backend_instance *instance, const struct trm_translation *translation,
                      const struct cpu_compiler *compiler, uint64_t *size)
{
    char machine[CPU_MODEL_BYTES];
    cpu_machine_model(machine);
    const char *const parts[] = {
        "cpu", compiler->path, compiler->identity, cpu_compile_flags(0), machine, translation->text,
    };
    *size = 1;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        *size += strlen(parts[i]) + 1;
    char *key = cpu_allocate(instance, *size);
    if (key == NULL)
        return NULL;
    char *end = key;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t length = strlen(parts[i]);
        memcpy(end, parts[i], length);
        end[length] = '\n';
        end += length + 1;
    }
    *end = '\0';
    return key;
}

/* Stores the compiled code in the cache and loads it from there. Loads it from the temporary folder if the
 * cache cannot store it, for example on a full disk, or if the stored file does not load. */
static int32_t store_and_open(struct trm_backend_instance *instance, const struct trm_module_source *source,
                              const struct cpu_compiled *compiled, const char *key,
                              struct trm_backend_module **module)
{
    const struct trm_host *host = instance->host;
    char stored[TRM_PATH_MOST];
    if (host->cache_store(host->context, key, EXTENSION, compiled->path, stored) != TRM_OK)
        return open_module(instance, compiled->path, source, module);
    int32_t status = open_module(instance, stored, source, module);
    if (status == TRM_OK)
        return TRM_OK;
    host->cache_discard(host->context, stored);
    return open_module(instance, compiled->path, source, module);
}

static int32_t compile_and_open(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                                const struct trm_module_source *source,
                                const struct trm_translation *translation, const char *key,
                                struct trm_backend_module **module)
{
    struct cpu_compiled compiled;
    int32_t status =
        cpu_compile(instance, compiler, source->name, translation->text, translation->length, 0, &compiled);
    if (status != TRM_OK)
        return status;
    status = store_and_open(instance, source, &compiled, key, module);
    cpu_compiled_release(instance, &compiled);
    return status;
}

static int32_t load_compiled(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                             const struct trm_module_source *source,
                             const struct trm_translation *translation, struct trm_backend_module **module)
{
    const struct trm_host *host = instance->host;
    char found[TRM_PATH_MOST];
    uint64_t size = 0;
    char *key     = make_key(instance, translation, compiler, &size);
    if (key == NULL)
        return trm_util_fail_host_memory(instance->host, "a key of the cache");
    int32_t status = host->cache_find(host->context, key, EXTENSION, found);
    if (status == TRM_OK)
        status = open_module(instance, found, source, module);
    if (status != TRM_OK && status != TRM_ERROR_OUT_OF_HOST_MEMORY)
        status = compile_and_open(instance, compiler, source, translation, key, module);
    trm_util_release(instance->host, key, size);
    return status;
}

static uint32_t translate_flags(const struct trm_host *host)
{
    if (trm_util_setting_is_on(host, "kernel.barriers"))
        return TRM_TRANSLATE_BOUNDS | TRM_TRANSLATE_BARRIERS;
    return trm_util_setting_is_on(host, "kernel.bounds") ? TRM_TRANSLATE_BOUNDS : 0;
}

int32_t cpu_portable_load(struct trm_backend_instance *instance, const struct trm_module_source *source,
                          struct trm_backend_module **module)
{
    const struct trm_host *host        = instance->host;
    uint32_t flags                     = translate_flags(host);
    struct trm_translation translation = {.struct_size = sizeof(translation)};
    struct cpu_compiler compiler;
    char what[128];
    struct trm_backend_module *sibling = flags != 0 ? NULL : open_sibling(instance, source);
    if (sibling != NULL) {
        *module = sibling;
        return TRM_OK;
    }
    /* Translate first, so that a module that cannot be translated fails with that reason even without a
     * compiler. */
    int32_t status = host->translate(host->context, source, TRM_LANGUAGE_C, flags, &translation);
    if (status != TRM_OK)
        return status;
    snprintf(what, sizeof(what), "Module '%.80s'", source->name);
    status = cpu_compiler_find(instance, what, &compiler);
    if (status == TRM_OK)
        status = load_compiled(instance, &compiler, source, &translation, module);
    host->release_translation(host->context, &translation);
    return status;
}

/* ---- building */

/* Copy a file to an open one. 0 or an errno. */
static int copy_file(const char *from, int to)
{
    char part[16384];
    int error  = 0;
    int source = open(from, O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return errno;
    for (;;) {
        ssize_t count = read(source, part, sizeof(part));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            error = errno;
        if (count <= 0)
            break;
        for (ssize_t done = 0; done < count && error == 0;) {
            ssize_t written = write(to, part + done, (size_t)(count - done));
            if (written < 0 && errno != EINTR)
                error = errno;
            done += written > 0 ? written : 0;
        }
    }
    close(source);
    return error;
}

/* Write a file beside its place, then move it there. */
static int32_t install(struct trm_backend_instance *instance, const char *from, const char *path)
{
    char begun[TRM_PATH_MOST];
    int written = snprintf(begun, sizeof(begun), "%s.XXXXXX", path);
    if (written < 0 || (size_t)written >= sizeof(begun))
        return trm_util_fail(instance->host, TRM_ERROR_BACKEND, 0, "The path %.64s... is too long.", path);
    int file = mkostemp(begun, O_CLOEXEC);
    if (file < 0)
        return trm_util_fail(instance->host, TRM_ERROR_BACKEND, errno, "%.300s cannot be written: %m.", path);
    int error = copy_file(from, file);
    if (error == 0 && fchmod(file, 0755) != 0)
        error = errno;
    if (close(file) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(begun, path) != 0)
        error = errno;
    if (error == 0)
        return TRM_OK;
    (void)unlink(begun);
    errno = error; /* for %m */
    return trm_util_fail(instance->host, TRM_ERROR_BACKEND, error, "%.300s cannot be written: %m.", path);
}

static int32_t compile_to(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                          const struct trm_module_source *source, const struct trm_translation *translation,
                          uint32_t flags, const char *path)
{
    struct cpu_compiled compiled;
    int32_t status = cpu_compile(instance, compiler, source->name, translation->text, translation->length,
                                 flags, &compiled);
    if (status != TRM_OK)
        return status;
    status = install(instance, compiled.path, path);
    cpu_compiled_release(instance, &compiled);
    return status;
}

int32_t cpu_portable_build(struct trm_backend_instance *instance, const struct trm_module_source *source,
                           uint32_t flags, const char *path)
{
    const struct trm_host *host        = instance->host;
    struct trm_translation translation = {.struct_size = sizeof(translation)};
    struct cpu_compiler compiler;
    char what[128];
    int32_t status =
        host->translate(host->context, source, TRM_LANGUAGE_C, translate_flags(host), &translation);
    if (status != TRM_OK)
        return status;
    snprintf(what, sizeof(what), "Building '%.80s'", source->name);
    status = cpu_compiler_find(instance, what, &compiler);
    if (status == TRM_OK)
        status = compile_to(instance, &compiler, source, &translation, flags, path);
    host->release_translation(host->context, &translation);
    return status;
}
