/* cuda backend: portable kernels, from a file beside them or by compiling.
 * SPDX-License-Identifier: MIT
 */
#include "trailer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile.h"
#include "module.h"

#define EXTENSION ".fatbin"
/* compiler/translate/targets/cuda_target.h */
#define OF_TEXTURES "_textures"
#define OF_COARSENED "_coarsened"

/* ---- modules of code ------------------------------------------------------------------------- */

static bool samples(const struct trm_kernel_info *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].kind == TRM_PARAMETER_TEXTURE ||
            kernel->parameters[i].kind == TRM_PARAMETER_SAMPLED_IMAGE)
            return true;
    return false;
}

/* What the code has of one kernel. */
struct functions {
    CUfunction function, special; /* as in struct trm_backend_kernel */
    struct cuda_launch_shape shape;
};

static int32_t fail_missing(const struct trm_backend_module *module, const char *symbol, CUresult result)
{
    return trm_util_fail(module->device->instance->host, TRM_ERROR_ABI, result,
                         "The code of module '%.80s' has no function '%.100s'.", module->name, symbol);
}

/* Every kernel whose launches choose has the other function; of those that sample, some have it. */
static int32_t find_special(const struct trm_backend_module *module, const struct trm_kernel_info *kernel,
                            const char *symbol, struct functions *found)
{
    char name[CUDA_TRAILER_SYMBOL_BYTES + sizeof(OF_TEXTURES)];
    if (!found->shape.is_choice && !samples(kernel))
        return TRM_OK;
    snprintf(name, sizeof(name), "%s%s", symbol, found->shape.is_choice ? OF_COARSENED : OF_TEXTURES);
    CUresult result = module->device->cuda->cuModuleGetFunction(&found->special, module->handle, name);
    if (result == CUDA_SUCCESS)
        return TRM_OK;
    found->special = NULL;
    if (result != CUDA_ERROR_NOT_FOUND)
        return cuda_device_fail(module->device, result, "cuModuleGetFunction");
    return found->shape.is_choice ? fail_missing(module, name, result) : TRM_OK;
}

/* The functions of kernel number `index`. Code made from a shader lists its symbols in the order of the
 * kernels, whatever their names were then. Code written by hand is searched by the kernel's name. */
static int32_t find_functions(const struct trm_backend_module *module, const struct trm_module_source *source,
                              const struct cuda_trailer *trailer, uint32_t index, struct functions *found)
{
    const struct cuda_functions *cuda = module->device->cuda;
    char space[CUDA_TRAILER_SYMBOL_BYTES];
    const char *symbol = source->kernels[index].name;
    *found             = (struct functions){.function = NULL};
    if (trailer->is_present) {
        if (!cuda_trailer_symbol(trailer, index, space, &found->shape))
            return trm_util_fail(module->device->instance->host, TRM_ERROR_ABI, 0,
                                 "The code of module '%.80s' has no kernel number %u.", source->name, index);
        symbol = space;
    }
    CUresult result = cuda->cuModuleGetFunction(&found->function, module->handle, symbol);
    if (result == CUDA_ERROR_NOT_FOUND)
        return fail_missing(module, symbol, result);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(module->device, result, "cuModuleGetFunction");
    return find_special(module, &source->kernels[index], symbol, found);
}

static int32_t make_kernels(struct trm_backend_module *module, const struct trm_module_source *source,
                            const struct cuda_trailer *trailer)
{
    struct functions found;
    CUcontext previous;
    int32_t status = cuda_enter(module->device, &previous);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = source->kernel_count; i-- > 0 && status == TRM_OK;) {
        status = find_functions(module, source, trailer, i, &found);
        if (status == TRM_OK)
            status = cuda_kernel_translated(module, &source->kernels[i], &found.shape, found.function,
                                            found.special);
    }
    cuda_leave(module->device, previous);
    return status;
}

/* Make a module of code, which was translated with bounds if it `notes_faults`. Explains its failure;
 * `is_refused` as for cuda_image_load(). */
static int32_t open_code(struct trm_backend_device *device, const struct trm_module_source *source,
                         const struct cuda_code *code, const struct cuda_trailer *trailer, bool notes_faults,
                         bool *is_refused, struct trm_backend_module **module)
{
    struct trm_backend_module *made = NULL;
    *is_refused                     = false;
    int32_t status                  = cuda_module_create(device, source->name, &made);
    if (status == TRM_OK) {
        made->notes_faults = notes_faults;
        status             = cuda_image_load(made, code->bytes, is_refused);
    }
    if (status == TRM_OK)
        status = make_kernels(made, source, trailer);
    if (status == TRM_OK)
        *module = made;
    else
        cuda_module_destroy(made);
    return status;
}

/* ---- the file beside a named module ---------------------------------------------------------- */

/* Why the file is not used; NULL: it is. */
static const char *open_file(struct trm_backend_device *device, const struct trm_module_source *source,
                             const char *path, struct trm_backend_module **module, bool *is_quiet)
{
    struct cuda_code code = {0};
    struct cuda_trailer trailer;
    const char *why = NULL;
    if (cuda_code_read_file(device, path, &code) != TRM_OK)
        return "it cannot be read";
    cuda_trailer_read(code.bytes, code.size, &trailer);
    if (!cuda_image_is_whole(code.bytes, code.size))
        why = "it is damaged";
    else if (trailer.is_present && !trailer.is_by_hand &&
             memcmp(trailer.digest, source->digest, sizeof(trailer.digest)) != 0)
        why = "it was made from another version of the shader beside it";
    else if (open_code(device, source, &code, &trailer, false, is_quiet, module) != TRM_OK)
        why = *is_quiet ? "it has no code for this device" : "it does not belong to the shader beside it";
    cuda_code_release(device, &code);
    return why;
}

/* NULL: there is no usable file; the log says why. A file without code for this device is normal and
 * logged at info level only. */
static struct trm_backend_module *open_sibling(struct trm_backend_device *device,
                                               const struct trm_module_source *source)
{
    const struct trm_host *host       = device->instance->host;
    struct trm_backend_module *module = NULL;
    bool is_quiet                     = false;
    const char *why;
    char path[TRM_PATH_MOST], line[TRM_PATH_MOST + 128];
    if (source->stem == NULL)
        return NULL;
    int written = snprintf(path, sizeof(path), "%s%s" EXTENSION, source->stem, source->variant);
    if (written < 0 || (size_t)written >= sizeof(path) || access(path, F_OK) != 0)
        return NULL;
    if (host->trust_file(host->context, path) != TRM_OK)
        why = "other users may write to it or to a folder above it";
    else
        why = open_file(device, source, path, &module, &is_quiet);
    if (why == NULL)
        return module;
    snprintf(line, sizeof(line), "%s is not used: %s", path, why);
    host->log(host->context, is_quiet ? TRM_LOG_INFO : TRM_LOG_WARNING, line);
    return NULL;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* Code that the driver refuses because NVRTC is newer is compiled again as PTX. */
static int32_t load_compiled(struct trm_backend_device *device, const struct trm_module_source *source,
                             const struct cuda_text *text, bool notes_faults,
                             struct trm_backend_module **module)
{
    struct cuda_trailer trailer;
    bool is_refused = true;
    int32_t status  = TRM_OK;
    cuda_trailer_read(text->text, text->length, &trailer);
    for (int as_ptx = 0; as_ptx < 2 && is_refused; as_ptx++) {
        struct cuda_code code = {0};
        is_refused            = false;
        status                = cuda_compile(device, text, as_ptx != 0, &code);
        if (status == TRM_OK)
            status = open_code(device, source, &code, &trailer, notes_faults, &is_refused, module);
        cuda_code_release(device, &code);
    }
    return status;
}

bool cuda_translated_symbol(const char *text, uint64_t length, uint32_t index, char symbol[CUDA_SYMBOL_BYTES],
                            struct cuda_launch_shape *shape)
{
    struct cuda_trailer trailer;
    _Static_assert(CUDA_SYMBOL_BYTES == CUDA_TRAILER_SYMBOL_BYTES, "symbols have one size");
    cuda_trailer_read(text, length, &trailer);
    return trailer.is_present && cuda_trailer_symbol(&trailer, index, symbol, shape);
}

int32_t cuda_module_compile(struct trm_backend_device *device, const char *name, const char *text,
                            uint64_t length, struct trm_backend_module **module)
{
    const struct cuda_text source   = {.text = text, .length = length, .name = name, .is_ours = true};
    struct trm_backend_module *made = NULL;
    bool is_refused                 = true;
    int32_t status                  = cuda_module_create(device, name, &made);
    for (int as_ptx = 0; status == TRM_OK && as_ptx < 2 && is_refused; as_ptx++) {
        struct cuda_code code = {0};
        is_refused            = false;
        status                = cuda_compile(device, &source, as_ptx != 0, &code);
        if (status == TRM_OK)
            status = cuda_image_load(made, code.bytes, &is_refused);
        if (is_refused && as_ptx == 0)
            status = TRM_OK;
        cuda_code_release(device, &code);
    }
    if (status == TRM_OK)
        *module = made;
    else
        cuda_module_destroy(made);
    return status;
}

/* flags: TRM_TRANSLATE_BOUNDS, or 0. */
static int32_t translate(struct trm_backend_device *device, const struct trm_module_source *source,
                         uint32_t flags, struct trm_translation *translation, struct cuda_text *text)
{
    const struct trm_host *host = device->instance->host;
    *translation                = (struct trm_translation){.struct_size = sizeof(*translation)};
    int32_t status = host->translate(host->context, source, TRM_LANGUAGE_CUDA, flags, translation);
    if (status == TRM_OK)
        *text = (struct cuda_text){
            .text = translation->text, .length = translation->length, .name = source->name, .is_ours = true};
    return status;
}

int32_t cuda_portable_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    const struct trm_host *host = device->instance->host;
    bool has_bounds             = trm_util_setting_is_on(host, "kernel.bounds");
    struct trm_translation translation;
    struct cuda_text text;
    *module = has_bounds ? NULL : open_sibling(device, source);
    if (*module != NULL)
        return TRM_OK;
    int32_t status = cuda_device_check(device); /* loading the file may have lost the device */
    if (status == TRM_OK)
        status = translate(device, source, has_bounds ? TRM_TRANSLATE_BOUNDS : 0, &translation, &text);
    if (status != TRM_OK)
        return status;
    status = load_compiled(device, source, &text, has_bounds, module);
    host->release_translation(host->context, &translation);
    return status;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Write a temporary file beside `path` and rename it. The text's last line, the trailer, follows the code. */
static int32_t write_code(struct trm_backend_device *device, const struct cuda_code *code,
                          const struct cuda_text *text, const char *path)
{
    char begun[TRM_PATH_MOST];
    struct cuda_trailer trailer;
    int written = snprintf(begun, sizeof(begun), "%s.XXXXXX", path);
    if (written < 0 || (size_t)written >= sizeof(begun))
        return trm_util_fail(device->instance->host, TRM_ERROR_BACKEND, 0, "The path %.64s... is too long.",
                             path);
    int file = mkostemp(begun, O_CLOEXEC);
    if (file < 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_BACKEND, errno,
                             "%.300s cannot be written: %m.", path);
    bool is_written = cuda_write_all(file, code->bytes, code->size);
    cuda_trailer_read(text->text, text->length, &trailer);
    if (is_written && trailer.is_present) {
        const char *line = (const char *)memrchr(text->text, '\n', text->length - 1);
        is_written = line != NULL && cuda_write_all(file, line, text->length - (uint64_t)(line - text->text));
    }
    is_written = fchmod(file, 0644) == 0 && is_written;
    is_written = close(file) == 0 && is_written;
    if (is_written && rename(begun, path) == 0)
        return TRM_OK;
    int32_t status = trm_util_fail(device->instance->host, TRM_ERROR_BACKEND, errno,
                                   "%.300s cannot be written: %m.", path);
    (void)unlink(begun);
    return status;
}

int32_t cuda_portable_build(struct trm_backend_device *device, const struct trm_module_source *source,
                            const char *path)
{
    const struct trm_host *host = device->instance->host;
    struct trm_translation translation;
    struct cuda_code code = {0};
    struct cuda_text text;
    int32_t status = translate(device, source, 0, &translation, &text); /* bounds use no file */
    if (status != TRM_OK)
        return status;
    status = cuda_compile(device, &text, false, &code);
    if (status == TRM_OK)
        status = write_code(device, &code, &text, path);
    cuda_code_release(device, &code);
    host->release_translation(host->context, &translation);
    return status;
}
