/* The proxy: modules. Kernels are the target's own.
 * SPDX-License-Identifier: MIT
 */
#include "proxy.h"

static int32_t proxy_module_supports(struct trm_backend_device *device, int32_t format)
{
    int32_t status = proxy_begin(device->instance->host, PROXY_SUPPORTS, NULL);

    return status != TRM_OK ? status : proxy_target.module.supports(device->target, format);
}

static int32_t proxy_module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                                 struct trm_backend_module **module)
{
    const struct trm_host *host = device->instance->host;
    struct trm_backend_module *made;
    int32_t status = proxy_begin(host, PROXY_LOAD, NULL);

    if (status != TRM_OK)
        return status;
    if (source->name == NULL)
        proxy_breach("A module without a name is loaded.");
    made = proxy_new(host, sizeof(*made));
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->device = device;
    status       = proxy_target.module.load(device->target, source, &made->target);
    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return status;
    }
    atomic_fetch_add(&device->children, 1);
    proxy_created(PROXY_MODULE);
    *module = made;
    return TRM_OK;
}

static void proxy_module_unload(struct trm_backend_module *module)
{
    struct trm_backend_device *device = module->device;
    const struct trm_host *host       = device->instance->host;

    (void)proxy_begin(NULL, PROXY_UNLOAD, NULL);
    proxy_target.module.unload(module->target);
    proxy_destroyed(PROXY_MODULE);
    host->release(host->context, module, sizeof(*module));
    atomic_fetch_sub(&device->children, 1);
}

static int32_t proxy_module_kernel(struct trm_backend_module *module, const char *name,
                                   struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    int32_t status = proxy_begin(module->device->instance->host, PROXY_KERNEL, NULL);

    return status != TRM_OK ? status : proxy_target.module.kernel(module->target, name, kernel, desc);
}

static const char *proxy_module_kernel_name(struct trm_backend_module *module, uint32_t index)
{
    if (proxy_begin(NULL, PROXY_KERNEL_NAME, NULL) != TRM_OK)
        return NULL;
    return proxy_target.module.kernel_name(module->target, index);
}

static struct trm_module_ops proxy_module_ops = {
    .struct_size = sizeof(proxy_module_ops),
    .supports    = proxy_module_supports,
    .load        = proxy_module_load,
    .unload      = proxy_module_unload,
    .kernel      = proxy_module_kernel,
};

const struct trm_module_ops *proxy_module_table(const char *without)
{
    int keeps = proxy_target.module.kernel_name != NULL && !proxy_list_has(without, "kernel_name");

    proxy_module_ops.kernel_name = keeps ? proxy_module_kernel_name : NULL;
    return &proxy_module_ops;
}
