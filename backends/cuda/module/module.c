/* cuda backend: modules and their table.
 * SPDX-License-Identifier: MIT
 */
#include "module.h"

#include <string.h>

static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    switch (format) {
    case TRM_MODULE_SPIRV:
    case TRM_MODULE_CUBIN:
    case TRM_MODULE_PTX:
    case TRM_MODULE_CUDA:
        return TRM_OK;
    default:
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "CUDA devices cannot load modules of format %d.", format);
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

int32_t cuda_module_create(struct trm_backend_device *device, const char *name,
                           struct trm_backend_module **module)
{
    const struct trm_backend_instance *instance = device->instance;
    uint64_t size                               = sizeof(struct trm_backend_module) + strlen(name) + 1;
    struct trm_backend_module *made             = trm_util_allocate(instance->host, size);
    if (made == NULL)
        return trm_util_fail_host_memory(instance->host, "a module");
    made->device = device;
    made->size   = size;
    memcpy(made->name, name, strlen(name) + 1);
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        trm_util_release(instance->host, made, size);
        return trm_util_fail_host_memory(instance->host, "a module");
    }
    *module = made;
    return TRM_OK;
}

/* On a lost device the code goes with the context. */
static void unload_code(const struct trm_backend_module *module)
{
    CUcontext previous;
    if (module->handle == NULL || cuda_enter(module->device, &previous) != TRM_OK)
        return;
    cuda_quiet_begin(module->device);
    (void)module->device->cuda->cuModuleUnload(module->handle);
    cuda_quiet_end(module->device);
    cuda_leave(module->device, previous);
}

void cuda_module_destroy(struct trm_backend_module *module)
{
    struct trm_backend_kernel *kernel;
    if (module == NULL)
        return;
    while ((kernel = module->kernels) != NULL) {
        module->kernels = kernel->next;
        module->device->on_kernel_unload(module->device, kernel);
        cuda_kernel_destroy(kernel);
    }
    unload_code(module);
    cuda_native_release(module);
    pthread_mutex_destroy(&module->lock);
    trm_util_release(module->device->instance->host, module, module->size);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    struct trm_backend_module *made = NULL;
    int32_t status                  = module_supports(device, source->format);
    if (status == TRM_OK)
        status = cuda_device_check(device);
    if (status != TRM_OK)
        return status;
    status = source->format == TRM_MODULE_SPIRV ? cuda_portable_load(device, source, &made)
                                                : cuda_native_load(device, source, &made);
    if (status != TRM_OK)
        return status;
    *module = made;
    return TRM_OK;
}

static void module_unload(struct trm_backend_module *module)
{
    cuda_module_destroy(module);
}

static int32_t find_portable(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **kernel)
{
    for (*kernel = module->kernels; *kernel != NULL; *kernel = (*kernel)->next)
        if (strcmp((*kernel)->name, name) == 0)
            return TRM_OK;
    return trm_util_fail(module->device->instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The module has no kernel '%.100s'.", name);
}

static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **result, struct trm_kernel_desc *desc)
{
    struct trm_backend_kernel *kernel = NULL;
    int32_t status                    = module->interface != NULL ? cuda_native_kernel(module, name, &kernel)
                                                                  : find_portable(module, name, &kernel);
    if (status != TRM_OK)
        return status;
    desc->parameter_count = kernel->parameter_count;
    desc->parameters      = kernel->parameters;
    desc->shared_bytes    = kernel->shared_bytes;
    memcpy(desc->group_size, kernel->group_size, sizeof(desc->group_size));
    *result = kernel;
    return TRM_OK;
}

static const char *module_kernel_name(struct trm_backend_module *module, uint32_t index)
{
    const struct trm_backend_kernel *kernel = module->kernels;
    if (module->interface != NULL)
        return cuda_native_name(module, index);
    for (; kernel != NULL && index != 0; index--)
        kernel = kernel->next;
    return kernel != NULL ? kernel->name : NULL;
}

static int32_t module_build(struct trm_backend_device *device, const struct trm_module_source *source,
                            uint32_t flags, const char *path)
{
    if (flags & TRM_BUILD_PORTABLE)
        return trm_util_fail(
            device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
            "A CUDA device builds code only for itself; `trireme kc --target cuda` builds it for many.");
    int32_t status = cuda_device_check(device);
    return status == TRM_OK ? cuda_portable_build(device, source, path) : status;
}

const struct trm_module_ops cuda_module_ops = {
    .struct_size = sizeof(cuda_module_ops),
    .supports    = module_supports,
    .load        = module_load,
    .unload      = module_unload,
    .kernel      = module_kernel,
    .kernel_name = module_kernel_name,
    .build       = module_build,
};
