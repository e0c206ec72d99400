/* cpu backend: modules.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/kernel_table.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/cpu/module/portable.h"

static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    if (format == TRM_MODULE_FUNCTIONS || format == TRM_MODULE_SHARED_OBJECT || format == TRM_MODULE_SPIRV)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "The cpu device takes no modules of format %d.", format);
}

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    int32_t status = module_supports(device, source->format);
    if (status != TRM_OK)
        return status;
    if (source->format == TRM_MODULE_FUNCTIONS)
        return cpu_load_functions(device->instance, source, module);
    if (source->format == TRM_MODULE_SHARED_OBJECT)
        return cpu_load_shared_object(device->instance, source, module);
    return cpu_portable_load(device->instance, source, module);
}

static void module_unload(struct trm_backend_module *module)
{
    void *library = module->library;
    trm_util_release(module->instance->host, module, module->size);
    if (library != NULL)
        dlclose(library);
}

static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **result, struct trm_kernel_desc *desc)
{
    struct trm_backend_kernel *kernel = cpu_module_find_kernel(module, module->count, name);
    if (kernel == NULL)
        return trm_util_fail(module->instance->host, TRM_ERROR_NOT_FOUND, 0, "The module has no kernel '%s'.",
                             name);
    desc->parameter_count = kernel->source.parameter_count;
    desc->parameters      = kernel->source.parameters;
    memcpy(desc->group_size, kernel->source.group_size, sizeof(desc->group_size));
    desc->shared_bytes = kernel->source.shared_bytes;
    *result            = kernel;
    return TRM_OK;
}

static int32_t module_build(struct trm_backend_device *device, const struct trm_module_source *source,
                            uint32_t flags, const char *path)
{
    return cpu_portable_build(device->instance, source, flags, path);
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
    .build       = module_build,
};
