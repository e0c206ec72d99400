/* cuda backend: modules of native code: cubin, PTX and CUDA C.
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "module.h"

/* ---- the program's description of kernels ---------------------------------------------------- */

struct cuda_interface {
    uint64_t size; /* bytes of this, with what it points to */
    uint32_t count;
    struct trm_kernel_info kernels[];
};

/* Space in one allocation that is measured first (`block` is NULL) and then filled. */
struct space {
    unsigned char *block;
    uint64_t used;
};

static void *store(struct space *space, const void *bytes, uint64_t size)
{
    uint64_t at = (space->used + 7) / 8 * 8;
    space->used = at + size;
    return space->block != NULL && size != 0 ? memcpy(space->block + at, bytes, size) : NULL;
}

static const char *store_text(struct space *space, const char *text)
{
    return text != NULL ? store(space, text, strlen(text) + 1) : NULL;
}

static void store_kernel(struct space *space, const struct trm_kernel_info *given,
                         struct trm_kernel_info *own)
{
    struct trm_parameter *parameters =
        store(space, given->parameters, (uint64_t)given->parameter_count * sizeof(*parameters));
    const char *name = store_text(space, given->name);
    for (uint32_t i = 0; i < given->parameter_count; i++) {
        const char *text = store_text(space, given->parameters[i].name);
        if (parameters != NULL)
            parameters[i].name = text;
    }
    if (own == NULL)
        return;
    *own            = *given;
    own->parameters = parameters;
    own->name       = name;
}

static int32_t copy_interface(struct trm_backend_module *module, const struct trm_native_options *options)
{
    uint64_t header =
        sizeof(struct cuda_interface) + (uint64_t)options->kernel_count * sizeof(struct trm_kernel_info);
    struct space space = {.used = header};
    for (uint32_t i = 0; i < options->kernel_count; i++)
        store_kernel(&space, &options->kernels[i], NULL);
    struct cuda_interface *made = trm_util_allocate(module->device->instance->host, space.used);
    if (made == NULL)
        return trm_util_fail_host_memory(module->device->instance->host, "a module");
    made->size  = space.used;
    made->count = options->kernel_count;
    space       = (struct space){.block = (unsigned char *)made, .used = header};
    for (uint32_t i = 0; i < options->kernel_count; i++)
        store_kernel(&space, &options->kernels[i], &made->kernels[i]);
    module->interface = made;
    return TRM_OK;
}

static const struct trm_kernel_info *find_described(const struct trm_backend_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->interface->count; i++)
        if (strcmp(module->interface->kernels[i].name, name) == 0)
            return &module->interface->kernels[i];
    return NULL;
}

/* ---- the driver's list of kernels ------------------------------------------------------------ */

/* A C++ kernel that is not extern "C" has a symbol such as _Z5saxpyPffj. It can also be called by its
 * plain name, saxpy, if only one kernel has that name. */
struct entry {
    CUfunction function;
    const char *symbol; /* of the driver */
    char plain[128];    /* "" where it is too long or ambiguous */
};

struct cuda_names {
    uint64_t size; /* bytes of this */
    uint32_t count;
    struct entry entries[];
};

static void find_plain(struct entry *entry)
{
    char *begin = NULL;
    if (strncmp(entry->symbol, "_Z", 2) != 0 || !isdigit((unsigned char)entry->symbol[2]))
        return;
    unsigned long length = strtoul(entry->symbol + 2, &begin, 10);
    if (length < sizeof(entry->plain) && length <= strlen(begin))
        snprintf(entry->plain, sizeof(entry->plain), "%.*s", (int)length, begin);
}

/* A plain name that several kernels have, or that is another's symbol, names none. */
static void drop_ambiguous(struct cuda_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        bool is_alone       = true;
        struct entry *entry = &names->entries[i];
        for (uint32_t k = i + 1; k < names->count && entry->plain[0] != '\0'; k++) {
            if (strcmp(names->entries[k].plain, entry->plain) != 0)
                continue;
            is_alone                   = false;
            names->entries[k].plain[0] = '\0';
        }
        for (uint32_t k = 0; k < names->count; k++)
            is_alone = is_alone && strcmp(names->entries[k].symbol, entry->plain) != 0;
        if (!is_alone)
            entry->plain[0] = '\0';
    }
}

static int32_t find_names(struct trm_backend_module *module, struct cuda_names *names)
{
    const struct cuda_functions *cuda = module->device->cuda;
    for (uint32_t i = 0; i < names->count; i++) {
        struct entry *entry = &names->entries[i];
        CUresult result     = cuda->cuFuncGetName(&entry->symbol, entry->function);
        if (result != CUDA_SUCCESS)
            return cuda_device_fail(module->device, result, "cuFuncGetName");
        find_plain(entry);
    }
    drop_ambiguous(names);
    return TRM_OK;
}

static int32_t list_functions(struct trm_backend_module *module, struct cuda_names *names)
{
    const struct trm_backend_instance *instance = module->device->instance;
    uint64_t size                               = names->count * sizeof(CUfunction);
    CUfunction *functions                       = trm_util_allocate(instance->host, size);
    if (functions == NULL)
        return trm_util_fail_host_memory(instance->host, "a module");
    CUresult result =
        module->device->cuda->cuModuleEnumerateFunctions(functions, names->count, module->handle);
    for (uint32_t i = 0; i < names->count; i++)
        names->entries[i].function = functions[i];
    trm_util_release(instance->host, functions, size);
    return result == CUDA_SUCCESS ? find_names(module, names)
                                  : cuda_device_fail(module->device, result, "cuModuleEnumerateFunctions");
}

/* With the context entered. */
static int32_t enumerate(struct trm_backend_module *module)
{
    const struct cuda_functions *cuda = module->device->cuda;
    unsigned int count                = 0;
    if (cuda->cuModuleGetFunctionCount == NULL || cuda->cuModuleEnumerateFunctions == NULL ||
        cuda->cuFuncGetName == NULL)
        return TRM_OK;
    CUresult result = cuda->cuModuleGetFunctionCount(&count, module->handle);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(module->device, result, "cuModuleGetFunctionCount");
    uint64_t size            = sizeof(struct cuda_names) + (uint64_t)count * sizeof(struct entry);
    struct cuda_names *names = trm_util_allocate(module->device->instance->host, size);
    if (names == NULL)
        return trm_util_fail_host_memory(module->device->instance->host, "a module");
    names->size   = size;
    names->count  = count;
    module->names = names; /* released with the module */
    return count != 0 ? list_functions(module, names) : TRM_OK;
}

const char *cuda_native_name(const struct trm_backend_module *module, uint32_t index)
{
    struct cuda_names *names = module->names;
    if (names == NULL)
        return index < module->interface->count ? module->interface->kernels[index].name : NULL;
    if (index >= names->count)
        return NULL;
    const struct entry *entry = &names->entries[index];
    return entry->plain[0] != '\0' ? entry->plain : entry->symbol;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The function of that name; NULL: there is none. */
static int32_t find_function(struct trm_backend_module *module, const char *name, CUfunction *function)
{
    const struct cuda_names *names = module->names;
    *function                      = NULL;
    for (uint32_t i = 0; names != NULL && i < names->count; i++)
        if (strcmp(names->entries[i].symbol, name) == 0 || strcmp(names->entries[i].plain, name) == 0)
            *function = names->entries[i].function;
    if (names != NULL)
        return TRM_OK;
    CUresult result = module->device->cuda->cuModuleGetFunction(function, module->handle, name);
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_FOUND)
        return TRM_OK;
    return cuda_device_fail(module->device, result, "cuModuleGetFunction");
}

static struct trm_backend_kernel *find_made(const struct trm_backend_module *module, const char *name)
{
    struct trm_backend_kernel *kernel = module->kernels;
    while (kernel != NULL && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    return kernel;
}

static int32_t make_kernel(struct trm_backend_module *module, const char *name)
{
    CUfunction function;
    CUcontext previous;
    int32_t status = cuda_enter(module->device, &previous);
    if (status != TRM_OK)
        return status;
    status = find_function(module, name, &function);
    if (status == TRM_OK && function == NULL)
        status = trm_util_fail(module->device->instance->host, TRM_ERROR_NOT_FOUND, 0,
                               "The module has no kernel '%.100s'.", name);
    if (status == TRM_OK)
        status = cuda_kernel_native(module, name, find_described(module, name), function);
    cuda_leave(module->device, previous);
    return status;
}

int32_t cuda_native_kernel(struct trm_backend_module *module, const char *name,
                           struct trm_backend_kernel **kernel)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&module->lock);
    *kernel = find_made(module, name);
    if (*kernel == NULL) {
        status  = make_kernel(module, name);
        *kernel = module->kernels; /* the newest is first */
    }
    pthread_mutex_unlock(&module->lock);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

static int32_t fill(struct trm_backend_module *module, const struct trm_native_options *options,
                    const struct cuda_code *code, bool *is_refused)
{
    CUcontext previous;
    int32_t status = cuda_image_load(module, code->bytes, is_refused);
    if (status == TRM_OK)
        status = copy_interface(module, options);
    if (status == TRM_OK)
        status = cuda_enter(module->device, &previous);
    if (status != TRM_OK)
        return status;
    status = enumerate(module);
    cuda_leave(module->device, previous);
    return status;
}

static int32_t load_code(struct trm_backend_device *device, const struct trm_module_source *source,
                         const struct cuda_code *code, bool *is_refused, struct trm_backend_module **module)
{
    struct trm_backend_module *made = NULL;
    *is_refused                     = false;
    int32_t status                  = cuda_module_create(device, source->name, &made);
    if (status == TRM_OK)
        status = fill(made, source->native, code, is_refused);
    if (status == TRM_OK)
        *module = made;
    else
        cuda_module_destroy(made);
    return status;
}

/* Code that the driver refuses because NVRTC is newer is compiled again as PTX. */
static int32_t load_text(struct trm_backend_device *device, const struct trm_module_source *source,
                         struct trm_backend_module **module)
{
    const struct cuda_text text = {
        .text         = source->data,
        .length       = strnlen(source->data, source->size),
        .name         = source->name,
        .options      = source->native->compiler_options,
        .option_count = source->native->compiler_option_count,
    };
    bool is_refused = true;
    int32_t status  = TRM_OK;
    for (int as_ptx = 0; as_ptx < 2 && is_refused; as_ptx++) {
        struct cuda_code code = {0};
        is_refused            = false;
        status                = cuda_compile(device, &text, as_ptx != 0, &code);
        if (status == TRM_OK)
            status = load_code(device, source, &code, &is_refused, module);
        cuda_code_release(device, &code);
    }
    return status;
}

static int32_t load_image(struct trm_backend_device *device, const struct trm_module_source *source,
                          struct trm_backend_module **module)
{
    const struct trm_backend_instance *instance = device->instance;
    bool is_refused;
    /* A source that is called PTX but begins like code is loaded as code. */
    if (!cuda_image_is_whole(source->data, source->size))
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "Module '%.80s' is not valid: its headers describe more than its %llu bytes.",
                             source->name, (unsigned long long)source->size);
    /* Aligned and zero-terminated, since the driver reads an image that it does not recognise as text. */
    struct cuda_code code = {.size = source->size, .allocated = source->size + 1};
    code.bytes            = trm_util_allocate(instance->host, code.allocated);
    if (code.bytes == NULL)
        return trm_util_fail_host_memory(instance->host, "a module");
    memcpy(code.bytes, source->data, source->size);
    int32_t status = load_code(device, source, &code, &is_refused, module);
    cuda_code_release(device, &code);
    return status;
}

int32_t cuda_native_load(struct trm_backend_device *device, const struct trm_module_source *source,
                         struct trm_backend_module **module)
{
    return source->format == TRM_MODULE_CUDA ? load_text(device, source, module)
                                             : load_image(device, source, module);
}

void cuda_native_release(struct trm_backend_module *module)
{
    const struct trm_backend_instance *instance = module->device->instance;
    if (module->names != NULL)
        trm_util_release(instance->host, module->names, module->names->size);
    if (module->interface != NULL)
        trm_util_release(instance->host, module->interface, module->interface->size);
}
