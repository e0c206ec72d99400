/* Modules: loading and unloading.
 * SPDX-License-Identifier: MIT
 */
#include "core/module.h"

#include <inttypes.h>
#include <string.h>
#include <trireme/cpu_kernel.h>

#include "core/abi.h"
#include "core/output.h"

#define DESC_MIN 32 /* bytes of struct trm_module_desc in the first version */

/* ---- the end ------------------------------------------------------------------------------- */

static void module_unload(struct core_module *module)
{
    struct core_context *context = module->object.context;
    struct core_device *device   = module->device;

    core_uses_fini(context, &module->uses);
    device->backend->module.unload(module->module);
    core_release(context, module->name, strlen(module->name) + 1);
    core_release(context, module, sizeof(*module));
    core_device_unref(device);
}

static void deferred_go(struct core_deferred *item)
{
    module_unload((struct core_module *)((char *)item - offsetof(struct core_module, deferred)));
}

static void module_retire(struct core_object *object)
{
    core_device_discount(((struct core_module *)object)->device, CORE_MODULE);
}

/* Handle and kernels are gone; what is left are launches under way. */
static void module_release(struct core_object *object)
{
    struct core_module *module = (struct core_module *)object;
    struct core_device *device = module->device;

    core_module_notes_to_uses(module);
    module->deferred.uses = &module->uses;
    module->deferred.go   = deferred_go;
    core_object_retain(&device->object);
    core_device_defer(device, &module->deferred);
    core_device_unref(device);
}

static const struct core_object_ops module_ops = {
    .type    = CORE_MODULE,
    .name    = "module",
    .retire  = module_retire,
    .release = module_release,
};

/* ---- loading ------------------------------------------------------------------------------- */

static int32_t check_functions(const struct trm_module_desc *desc)
{
    const struct trm_cpu_kernel *kernels = desc->data;
    uint64_t count                       = desc->size / sizeof(*kernels);

    if (count == 0 || desc->size % sizeof(*kernels) != 0)
        return core_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%" PRIu64 " bytes are no array of struct trm_cpu_kernel (%zu bytes each)",
                         desc->size, sizeof(*kernels));
    for (uint64_t i = 0; i < count; i++)
        if (kernels[i].name == NULL || kernels[i].function == NULL ||
            (kernels[i].parameters == NULL && kernels[i].parameter_count != 0))
            return core_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "kernel %" PRIu64 " of the array has no name, no function or no parameters", i);
    return TRM_OK;
}

static int32_t check_path(const struct trm_module_desc *desc)
{
    if (desc->size == 0 || memchr(desc->data, 0, desc->size) == NULL)
        return core_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the path of a shared object has no terminating zero within its %" PRIu64 " bytes",
                         desc->size);
    if (*(const char *)desc->data != '/')
        return core_fail(TRM_ERROR_INVALID_ARGUMENT, "the path of a shared object is not absolute: \"%s\"",
                         (const char *)desc->data);
    return TRM_OK;
}

static int32_t check_desc(const struct trm_module_desc *desc)
{
    if (desc->data == NULL)
        return core_fail(TRM_ERROR_INVALID_ARGUMENT, "the description of a module has no data");
    switch (desc->format) {
    case TRM_MODULE_FUNCTIONS:
        return check_functions(desc);
    case TRM_MODULE_SHARED_OBJECT:
        return check_path(desc);
    default:
        return TRM_OK;
    }
}

static int32_t check_supported(struct core_device *device, int32_t format)
{
    core_error_clear();
    int32_t status = device->backend->module.supports(device->device, format);
    if (status == TRM_OK)
        return TRM_OK;
    if (status == TRM_ERROR_UNSUPPORTED)
        return core_fail(status, "device %s takes no modules of format %" PRId32, device->id, format);
    return core_device_note(device, core_fail_below(status));
}

static int32_t load_below(struct core_module *module, const struct trm_module_desc *desc)
{
    struct core_device *device      = module->device;
    struct trm_module_source source = {
        .struct_size = sizeof(source),
        .format      = desc->format,
        .data        = desc->data,
        .size        = desc->size,
        .name        = module->name,
    };

    core_error_clear();
    int32_t status = device->backend->module.load(device->device, &source, &module->module);
    return status == TRM_OK ? TRM_OK : core_device_note(device, core_fail_below(status));
}

static int32_t module_create(struct core_device *device, const struct trm_module_desc *desc,
                             struct core_module **module)
{
    struct core_context *context = device->object.context;
    int32_t status;

    struct core_module *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return core_fail_memory("loading a module");
    made->device = device;
    made->name   = core_copy_text(context, desc->name != NULL ? desc->name : "module");
    if (made->name == NULL) {
        status = core_fail_memory("loading a module");
        goto release;
    }
    status = load_below(made, desc);
    if (status != TRM_OK)
        goto release_name;
    status = core_object_init(&made->object, &module_ops, context);
    if (status != TRM_OK)
        goto unload;
    core_device_adopt(device, CORE_MODULE);
    *module = made;
    return TRM_OK;

unload:
    device->backend->module.unload(made->module);
release_name:
    core_release(context, made->name, strlen(made->name) + 1);
release:
    core_release(context, made, sizeof(*made));
    return status;
}

int32_t trm_module_load(struct trm_device *device, const struct trm_module_desc *desc,
                        struct trm_module **module)
{
    struct trm_module_desc own = {.struct_size = sizeof(own)};
    struct core_module *made   = NULL;

    struct core_device *found = core_device_find(device);
    if (found == NULL)
        return core_last_status();
    int32_t status = core_device_check(found);
    if (status != TRM_OK)
        return status;
    if (desc == NULL || !core_struct_take(&own, sizeof(own), desc, DESC_MIN))
        return core_fail(TRM_ERROR_INVALID_ARGUMENT, "a module needs a description with its struct_size");
    status = core_output_check(module, "module");
    if (status == TRM_OK)
        status = check_desc(&own);
    if (status == TRM_OK)
        status = check_supported(found, own.format);
    if (status == TRM_OK)
        status = module_create(found, &own, &made);
    if (status == TRM_OK)
        *module = made->object.handle;
    return status;
}

void trm_module_destroy(struct trm_module *module)
{
    if (module == NULL)
        return;
    struct core_module *found = core_object_enter(module, CORE_MODULE);
    if (found == NULL)
        return;
    core_object_kill(&found->object);
    core_object_leave(&found->object);
}

int32_t trm_module_supported(struct trm_device *device, int32_t format)
{
    struct core_device *found = core_device_find(device);
    if (found == NULL)
        return core_last_status();
    return check_supported(found, format);
}
