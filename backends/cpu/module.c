/* cpu backend: modules are tables of C functions, of the program or of a shared object.
 * SPDX-License-Identifier: MIT
 */
#include "module.h"

#include <dlfcn.h>
#include <string.h>

#define TABLE_SYMBOL "trm_cpu_kernels_v1"
#define MOST_KERNELS (1u << 20)
#define FIRST_TABLE_SIZE 24u /* bytes of struct trm_cpu_kernel_table as it was first released */

_Static_assert(sizeof(struct trm_cpu_kernel_table) >= FIRST_TABLE_SIZE, "tables only grow");

/* Where the kernels of a source lie, before they are checked. */
struct kernel_list {
    const uint8_t *first;
    uint64_t stride;
    uint64_t count;
    const char *name; /* of the module, for messages */
};

/* ---- checks */

static uint32_t scalar_size(int32_t type)
{
    switch (type) {
    case TRM_TYPE_U8:
    case TRM_TYPE_I8:
        return 1;
    case TRM_TYPE_U16:
    case TRM_TYPE_I16:
    case TRM_TYPE_F16:
        return 2;
    case TRM_TYPE_U32:
    case TRM_TYPE_I32:
    case TRM_TYPE_F32:
        return 4;
    case TRM_TYPE_U64:
    case TRM_TYPE_I64:
    case TRM_TYPE_F64:
        return 8;
    default:
        return 0;
    }
}

static int32_t refuse(struct trm_backend_instance *instance, const struct kernel_list *list,
                      const struct trm_cpu_kernel *kernel, const char *what)
{
    return cpu_fail(instance, TRM_ERROR_INVALID_ARGUMENT, 0, "Module '%s': kernel '%s' %s.", list->name,
                    kernel->name ? kernel->name : "?", what);
}

/* The size of a kernel's argument block, or why it cannot have one. */
static const char *lay_out(const struct trm_cpu_kernel *kernel, uint64_t *block_size)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        uint64_t size = parameter->kind == TRM_PARAMETER_BUFFER   ? sizeof(struct trm_cpu_buffer)
                        : parameter->kind == TRM_PARAMETER_SCALAR ? scalar_size(parameter->type)
                                                                  : 0;
        if (parameter->name == NULL)
            return "has a parameter without a name";
        if (size == 0)
            return "has a parameter that is neither a buffer nor a scalar of a known type";
        uint64_t alignment = size < 8 ? size : 8;
        offset             = cpu_argument_offset(offset, alignment) + size;
    }
    *block_size = offset;
    return NULL;
}

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
        return "has a number of parameters and no list of them";
    if (kernel->shared_bytes > CPU_MAX_SHARED_BYTES)
        return "wants more shared memory than there is";
    for (int i = 0; i < 3; i++)
        if (kernel->group_size[i] > CPU_MAX_GROUP_ITEMS ||
            (items *= kernel->group_size[i] ? kernel->group_size[i] : 1) > CPU_MAX_GROUP_ITEMS)
            return "has groups of too many work-items";
    return lay_out(kernel, block_size);
}

static struct trm_backend_kernel *find_kernel(struct trm_backend_module *module, uint32_t count,
                                              const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(module->kernels[i].source.name, name) == 0)
            return &module->kernels[i];
    return NULL;
}

/* ---- making */

static int32_t make_module(struct trm_backend_instance *instance, const struct kernel_list *list,
                           struct trm_backend_module **result)
{
    if (list->count == 0 || list->count > MOST_KERNELS)
        return cpu_fail(instance, TRM_ERROR_INVALID_ARGUMENT, 0, "Module '%s' has %llu kernels.", list->name,
                        (unsigned long long)list->count);
    uint64_t size                     = sizeof(**result) + list->count * sizeof(struct trm_backend_kernel);
    struct trm_backend_module *module = cpu_allocate(instance, size);
    if (module == NULL)
        return cpu_fail_host_memory(instance, "a module");
    memset(module, 0, size);
    module->instance = instance;
    module->count    = (uint32_t)list->count;
    module->size     = size;
    for (uint32_t i = 0; i < module->count; i++) {
        struct trm_backend_kernel *kernel = &module->kernels[i];
        memcpy(&kernel->source, list->first + i * list->stride, sizeof(kernel->source));
        kernel->module    = module;
        const char *fault = find_fault(&kernel->source, &kernel->block_size);
        if (fault == NULL && find_kernel(module, i, kernel->source.name) != NULL)
            fault = "is there twice";
        if (fault != NULL) {
            int32_t status = refuse(instance, list, &kernel->source, fault);
            cpu_release(instance, module, size);
            return status;
        }
    }
    *result = module;
    return TRM_OK;
}

static int32_t load_functions(struct trm_backend_instance *instance, const struct trm_module_source *source,
                              struct trm_backend_module **module)
{
    struct kernel_list list = {source->data, sizeof(struct trm_cpu_kernel),
                               source->size / sizeof(struct trm_cpu_kernel), source->name};
    if (source->data == NULL || source->size % sizeof(struct trm_cpu_kernel) != 0)
        return cpu_fail(instance, TRM_ERROR_INVALID_ARGUMENT, 0,
                        "Module '%s' is not an array of struct trm_cpu_kernel: it has %llu bytes.",
                        source->name, (unsigned long long)source->size);
    return make_module(instance, &list, module);
}

/* ---- shared objects */

static int32_t read_table(struct trm_backend_instance *instance, void *library,
                          const struct trm_module_source *source, struct kernel_list *list)
{
    const struct trm_cpu_kernel_table *table = dlsym(library, TABLE_SYMBOL);
    if (table == NULL)
        return cpu_fail(instance, TRM_ERROR_NOT_FOUND, 0, "Module '%s' does not export %s.", source->name,
                        TABLE_SYMBOL);
    if (table->struct_size < FIRST_TABLE_SIZE || table->kernel_size < sizeof(struct trm_cpu_kernel) ||
        table->kernel_size % _Alignof(struct trm_cpu_kernel) != 0 || table->kernels == NULL)
        return cpu_fail(
            instance, TRM_ERROR_ABI, 0,
            "Module '%s': its table of kernels is not one of this version (%u bytes, kernels of %u).",
            source->name, table->struct_size, table->kernel_size);
    *list =
        (struct kernel_list){(const uint8_t *)table->kernels, table->kernel_size, table->count, source->name};
    return TRM_OK;
}

static int32_t load_shared_object(struct trm_backend_instance *instance,
                                  const struct trm_module_source *source, struct trm_backend_module **module)
{
    const char *path            = source->data;
    const struct trm_host *host = instance->host;
    struct kernel_list list     = {0};
    if (path == NULL || source->size == 0 || path[0] != '/' || memchr(path, '\0', source->size) == NULL)
        return cpu_fail(instance, TRM_ERROR_INVALID_ARGUMENT, 0,
                        "Module '%s': a shared object is named by its absolute path, with its zero.",
                        source->name);
    int32_t status = host->trust_file(host->context, path);
    if (status != TRM_OK)
        return status;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return cpu_fail(instance, TRM_ERROR_BACKEND, 0, "Module '%s' cannot be loaded: %s.", source->name,
                        dlerror());
    status = read_table(instance, library, source, &list);
    if (status == TRM_OK)
        status = make_module(instance, &list, module);
    if (status != TRM_OK) {
        dlclose(library);
        return status;
    }
    (*module)->library = library;
    return TRM_OK;
}

/* ---- the table */

static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    if (format == TRM_MODULE_FUNCTIONS || format == TRM_MODULE_SHARED_OBJECT)
        return TRM_OK;
    return cpu_fail(device->instance, TRM_ERROR_UNSUPPORTED, 0,
                    "The cpu device takes no modules of format %d.", format);
}

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    int32_t status = module_supports(device, source->format);
    if (status != TRM_OK)
        return status;
    if (source->format == TRM_MODULE_FUNCTIONS)
        return load_functions(device->instance, source, module);
    return load_shared_object(device->instance, source, module);
}

static void module_unload(struct trm_backend_module *module)
{
    void *library = module->library;
    cpu_release(module->instance, module, module->size);
    if (library != NULL)
        dlclose(library);
}

static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **result, struct trm_kernel_desc *desc)
{
    struct trm_backend_kernel *kernel = find_kernel(module, module->count, name);
    if (kernel == NULL)
        return cpu_fail(module->instance, TRM_ERROR_NOT_FOUND, 0, "The module has no kernel '%s'.", name);
    desc->parameter_count = kernel->source.parameter_count;
    desc->parameters      = kernel->source.parameters;
    memcpy(desc->group_size, kernel->source.group_size, sizeof(desc->group_size));
    desc->shared_bytes = kernel->source.shared_bytes;
    *result            = kernel;
    return TRM_OK;
}

static const char *module_kernel_name(struct trm_backend_module *module, uint32_t index)
{
    return index < module->count ? module->kernels[index].source.name : NULL;
}

const struct trm_module_ops cpu_module_ops = {
    .struct_size = sizeof(cpu_module_ops),
    .supports    = module_supports,
    .load        = module_load,
    .unload      = module_unload,
    .kernel      = module_kernel,
    .kernel_name = module_kernel_name,
};
