/* cpu backend: tables of C functions, of the program or of a shared object, made into modules.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/kernel_table.h"

#include <dlfcn.h>
#include <string.h>

#define TABLE_SYMBOL "trm_cpu_kernels_v1"
#define FAULT_SYMBOL "trm_cpu_fault_v1"
#define LIVE_SYMBOL "trm_cpu_live_v1"
#define MOST_KERNELS (1u << 20)
#define FIRST_TABLE_SIZE 32u /* bytes of struct trm_cpu_kernel_table as it was first released */

_Static_assert(sizeof(struct trm_cpu_kernel_table) >= FIRST_TABLE_SIZE, "tables only grow");

/* ---- checks */

static uint64_t argument_size(const struct trm_parameter *parameter)
{
    switch (parameter->kind) {
    case TRM_PARAMETER_BUFFER:
        return sizeof(struct trm_cpu_buffer);
    case TRM_PARAMETER_SCALAR:
        return trm_util_type_size(parameter->type);
    case TRM_PARAMETER_BLOCK:
        return parameter->size <= CPU_MAX_BLOCK_BYTES ? parameter->size : 0;
    case TRM_PARAMETER_IMAGE:
    case TRM_PARAMETER_TEXTURE:
    case TRM_PARAMETER_SAMPLER:
    case TRM_PARAMETER_SAMPLED_IMAGE:
    case TRM_PARAMETER_TEXELS:
        return sizeof(struct trm_image_words);
    default:
        return 0;
    }
}

static int32_t refuse(struct trm_backend_instance *instance, const struct cpu_kernel_list *list,
                      const struct trm_cpu_kernel *kernel, const char *what)
{
    return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0, "Module '%s': kernel '%s' %s.",
                         list->name, kernel->name ? kernel->name : "?", what);
}

/* Compute the size of a kernel's argument block. Returns why it cannot have one, or NULL. */
static const char *find_block_size(const struct trm_cpu_kernel *kernel, uint64_t *block_size)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        uint64_t size                         = argument_size(parameter);
        if (parameter->name == NULL)
            return "has a parameter without a name";
        if (size == 0)
            return "has a parameter of an unknown kind, or a scalar of an unknown type, or a block of no "
                   "size";
        uint64_t alignment = parameter->kind == TRM_PARAMETER_BLOCK ? CPU_BLOCK_ALIGNMENT
                             : size < 8                             ? size
                                                                    : 8;
        offset             = cpu_argument_offset(offset, alignment) + size;
    }
    /* A kernel may copy the whole struct, with the padding at its end. */
    *block_size = cpu_argument_offset(offset, CPU_BLOCK_ALIGNMENT);
    return NULL;
}

/* What is wrong with a kernel, or NULL. */
static const char *find_fault(const struct trm_cpu_kernel *kernel, uint64_t *block_size)
{
    uint64_t items = 1;
    if (kernel->name == NULL || kernel->name[0] == '\0')
        return "has no name";
    if (kernel->function == NULL)
        return "has no function";
    if (kernel->parameter_count > CPU_MAX_ARGUMENTS)
        return "has too many parameters";
    if (kernel->parameter_count != 0 && kernel->parameters == NULL)
        return "has a parameter count but no parameters";
    if (kernel->shared_bytes > CPU_MAX_SHARED_BYTES)
        return "needs more shared memory than there is";
    if (kernel->scratch_bytes > CPU_MAX_SCRATCH_BYTES)
        return "needs more scratch memory than there is";
    for (int i = 0; i < 3; i++)
        if (kernel->group_size[i] > CPU_MAX_GROUP_ITEMS ||
            (items *= kernel->group_size[i] ? kernel->group_size[i] : 1) > CPU_MAX_GROUP_ITEMS)
            return "has groups of too many work-items";
    return find_block_size(kernel, block_size);
}

struct trm_backend_kernel *cpu_module_find_kernel(struct trm_backend_module *module, uint32_t count,
                                                  const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(module->kernels[i].source.name, name) == 0)
            return &module->kernels[i];
    return NULL;
}

/* ---- creating modules */

int32_t cpu_module_create(struct trm_backend_instance *instance, const struct cpu_kernel_list *list,
                          struct trm_backend_module **result)
{
    if (list->count == 0 || list->count > MOST_KERNELS)
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0, "Module '%s' has %llu kernels.",
                             list->name, (unsigned long long)list->count);
    uint64_t size                     = sizeof(**result) + list->count * sizeof(struct trm_backend_kernel);
    struct trm_backend_module *module = cpu_allocate(instance, size);
    if (module == NULL)
        return trm_util_fail_host_memory(instance->host, "a module");
    memset(module, 0, size);
    module->instance = instance;
    module->fault    = list->fault;
    module->live     = list->live;
    module->count    = (uint32_t)list->count;
    module->size     = size;
    for (uint32_t i = 0; i < module->count; i++) {
        struct trm_backend_kernel *kernel = &module->kernels[i];
        memcpy(&kernel->source, list->first + i * list->stride, sizeof(kernel->source));
        kernel->module    = module;
        const char *fault = find_fault(&kernel->source, &kernel->block_size);
        if (fault == NULL && cpu_module_find_kernel(module, i, kernel->source.name) != NULL)
            fault = "is there twice";
        if (fault != NULL) {
            int32_t status = refuse(instance, list, &kernel->source, fault);
            trm_util_release(instance->host, module, size);
            return status;
        }
    }
    *result = module;
    return TRM_OK;
}

int32_t cpu_load_functions(struct trm_backend_instance *instance, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    struct cpu_kernel_list list = {
        .first  = source->data,
        .stride = sizeof(struct trm_cpu_kernel),
        .count  = source->size / sizeof(struct trm_cpu_kernel),
        .name   = source->name,
    };
    if (source->data == NULL || source->size % sizeof(struct trm_cpu_kernel) != 0)
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "Module '%s' is not an array of struct trm_cpu_kernel: it has %llu bytes.",
                             source->name, (unsigned long long)source->size);
    return cpu_module_create(instance, &list, module);
}

/* ---- shared objects */

static int32_t read_table(struct trm_backend_instance *instance, void *library, const char *name,
                          struct cpu_kernel_list *list)
{
    const struct trm_cpu_kernel_table *table = dlsym(library, TABLE_SYMBOL);
    if (table == NULL)
        return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0, "Module '%s' does not export %s.", name,
                             TABLE_SYMBOL);
    if (table->struct_size < FIRST_TABLE_SIZE || table->kernel_size < sizeof(struct trm_cpu_kernel) ||
        table->kernel_size % _Alignof(struct trm_cpu_kernel) != 0 || table->kernels == NULL)
        return trm_util_fail(
            instance->host, TRM_ERROR_ABI, 0,
            "Module '%s': its table of kernels is not one of this version (%u bytes, kernels of %u).", name,
            table->struct_size, table->kernel_size);
    *list = (struct cpu_kernel_list){
        .first  = (const uint8_t *)table->kernels,
        .stride = table->kernel_size,
        .count  = table->count,
        .name   = name,
        .digest = table->digest,
        .fault  = (trm_cpu_fault_fn)dlsym(library, FAULT_SYMBOL),
        .live   = (trm_cpu_live_fn)dlsym(library, LIVE_SYMBOL),
    };
    return TRM_OK;
}

int32_t cpu_library_open(struct trm_backend_instance *instance, const char *path, const char *name,
                         void **library, struct cpu_kernel_list *list)
{
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL)
        return trm_util_fail(instance->host, TRM_ERROR_BACKEND, 0, "Module '%s' cannot be loaded: %s.", name,
                             dlerror());
    int32_t status = read_table(instance, opened, name, list);
    if (status != TRM_OK) {
        dlclose(opened);
        return status;
    }
    *library = opened;
    return TRM_OK;
}

int32_t cpu_load_shared_object(struct trm_backend_instance *instance, const struct trm_module_source *source,
                               struct trm_backend_module **module)
{
    const char *path            = source->data;
    const struct trm_host *host = instance->host;
    struct cpu_kernel_list list = {0};
    void *library               = NULL;
    if (path == NULL || source->size == 0 || path[0] != '/' || memchr(path, '\0', source->size) == NULL)
        return trm_util_fail(
            instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
            "Module '%s': a shared object is named by its absolute path, with the final zero.", source->name);
    int32_t status = host->trust_file(host->context, path);
    if (status == TRM_OK)
        status = cpu_library_open(instance, path, source->name, &library, &list);
    if (status != TRM_OK)
        return status;
    status = cpu_module_create(instance, &list, module);
    if (status != TRM_OK) {
        if (library != NULL)
            dlclose(library);
        return status;
    }
    (*module)->library = library;
    return TRM_OK;
}
