/* Modules: loading, building and unloading.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/matrix_form.h"
#include "core/module/module_object.h"

#include <inttypes.h>
#include <string.h>

#include "core/module/module_native.h"
#include "core/module/module_source.h"
#include "core/object/object.h"
#include "core/shader/shader.h"

#define DESC_MIN 32     /* bytes of struct trm_module_desc in the first version */
#define ARRAYS_SINCE 3u /* the minor of the plugin ABI since which backends take arrays of descriptors */

/* ---- the end ------------------------------------------------------------------------------- */

static void module_unload(struct core_module *module)
{
    struct core_context *context = module->object.context;
    struct core_device *device   = module->device;

    core_in_flight_fini(context, &module->in_flight);
    device->backend->module.unload(module->module);
    core_module_source_destroy(context, module->portable);
    core_free(context, module->name, strlen(module->name) + 1);
    core_free(context, module, sizeof(*module));
    core_object_release(&device->object);
}

static void deferred_destroy(struct core_deferred *item)
{
    module_unload(base_container_of(item, struct core_module, deferred));
}

static void module_retire(struct core_object *object)
{
    core_device_uncount_child(((struct core_module *)object)->device, CORE_MODULE);
}

/* The handle and the kernels are gone; launches may still be in flight. */
static void module_release(struct core_object *object)
{
    struct core_module *module = (struct core_module *)object;
    struct core_device *device = module->device;

    core_module_launches_to_in_flight(module);
    module->deferred.in_flight = &module->in_flight;
    module->deferred.destroy   = deferred_destroy;
    core_object_retain(&device->object);
    core_device_defer(device, &module->deferred);
    core_object_release(&device->object);
}

static const char *module_device_id(const struct core_object *object)
{
    return ((const struct core_module *)object)->device->id;
}

static const struct core_object_ops module_ops = {
    .type      = CORE_MODULE,
    .name      = "module",
    .source    = __FILE__,
    .device_id = module_device_id,
    .retire    = module_retire,
    .release   = module_release,
};

/* ---- loading ------------------------------------------------------------------------------- */

static bool is_cuda(int32_t format)
{
    return format == TRM_MODULE_CUBIN || format == TRM_MODULE_PTX || format == TRM_MODULE_CUDA;
}

static int32_t check_supported(struct core_device *device, int32_t format)
{
    base_error_clear();
    int32_t status =
        core_answer(device->backend, "module.supports",
                    device->backend->module.supports(device->device, core_module_backend_format(format)));
    if (status == TRM_OK)
        return TRM_OK;
    if (status == TRM_ERROR_UNSUPPORTED && core_module_is_portable(format))
        return base_fail(status, "device %s takes no portable kernels (SPIR-V)", device->id);
    if (status == TRM_ERROR_UNSUPPORTED && core_module_format_text(format) != NULL)
        return base_fail(status, "device %s takes no %s: %s", device->id, core_module_format_text(format),
                         is_cuda(format) ? "the cuda backend does, and GLSL is for all backends"
                                         : "the cpu backend does, and GLSL is for all backends");
    if (status == TRM_ERROR_UNSUPPORTED)
        return base_fail(status, "device %s takes no modules of format %" PRId32, device->id, format);
    return core_device_latch_loss(device, base_fail_backend(status));
}

/* Backends of earlier minors take each parameter for one of its own binding. */
static int32_t check_arrays(const struct core_device *device, const struct core_shader_code *portable)
{
    if (portable == NULL || !core_shader_code_has_arrays(portable) ||
        device->backend->table.abi_minor >= ARRAYS_SINCE)
        return TRM_OK;
    return base_fail(
        TRM_ERROR_UNSUPPORTED,
        "shader \"%s\" has arrays of buffers, images or samplers, which the backend of device %s does "
        "not take: it was made for minor %" PRIu32 " of the plugin ABI, and they need %u",
        portable->name, device->id, device->backend->table.abi_minor, ARRAYS_SINCE);
}

/* A backend may try several ways before one works: restores the last error, since what failed on the way
 * is no error. */
static int32_t load_in_backend(struct core_module *module, const struct trm_module_source *source)
{
    struct core_device *device = module->device;
    struct base_saved_error before;

    base_error_save(&before);
    base_error_clear();
    int32_t status = core_answer(device->backend, "module.load",
                                 device->backend->module.load(device->device, source, &module->module));
    core_object_log(&device->object, TRM_LOG_DEBUG, "module \"%s\" loaded: %s",
                    source->name != NULL ? source->name : "", trm_status_name(status));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    base_error_restore(&before);
    return TRM_OK;
}

/* stem: that of a kernel's form (core_matrix_form_find()), or NULL. */
static int32_t module_create(struct core_device *device, const struct trm_module_desc *desc, const char *stem,
                             struct core_module **module)
{
    struct core_context *context = device->object.context;
    struct trm_module_source source;

    struct core_module *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("loading a module");
    made->device   = device;
    int32_t status = core_module_source_create(context, desc, &made->portable, &source);
    if (status != TRM_OK)
        goto release;
    if (stem != NULL)
        source.stem = stem;
    made->name = core_copy_text(context, source.name);
    if (made->name == NULL) {
        status = base_fail_memory("loading a module");
        goto destroy_source;
    }
    status = check_arrays(device, made->portable);
    if (status == TRM_OK)
        status = load_in_backend(made, &source);
    core_module_source_release(context, &source);
    if (status != TRM_OK)
        goto release_name;
    status = core_object_init(&made->object, &module_ops, context);
    if (status != TRM_OK)
        goto unload;
    core_device_add_child(device, CORE_MODULE);
    *module = made;
    return TRM_OK;

unload:
    device->backend->module.unload(made->module);
release_name:
    core_free(context, made->name, strlen(made->name) + 1);
destroy_source:
    core_module_source_release(context, &source);
    core_module_source_destroy(context, made->portable);
release:
    core_free(context, made, sizeof(*made));
    return status;
}

/* All checks of a description that need no module. */
static int32_t check_desc(struct core_device *device, const struct trm_module_desc *given,
                          struct trm_module_desc *own)
{
    int32_t status = core_device_check(device);
    if (status != TRM_OK)
        return status;
    status = core_desc_copy(own, sizeof(*own), given, DESC_MIN, "trm_module_desc");
    if (status == TRM_OK)
        status = core_module_desc_check(own);
    return status == TRM_OK ? check_supported(device, own->format) : status;
}

/* Makes the module, of a kernel's form with cooperative matrices if the device takes that one. */
static int32_t create_best(struct trm_device *handle, struct core_device *device,
                           const struct trm_module_desc *desc, struct core_module **made)
{
    struct core_context *context = device->object.context;
    struct trm_module_desc form;
    struct base_arena arena;
    const char *stem = NULL;
    bool is_made     = false;

    base_arena_init(&arena, &context->allocator);
    if (core_matrix_form_find(handle, context, &arena, desc, &form, &stem)) {
        is_made = module_create(device, &form, stem, made) == TRM_OK;
        core_object_log(&device->object, TRM_LOG_DEBUG, "kernel \"%s\": the device %s the form with matrices",
                        form.name, is_made ? "takes" : "does not take");
    }
    base_arena_fini(&arena);
    return is_made ? TRM_OK : module_create(device, desc, NULL, made);
}

int32_t trm_module_load(struct trm_device *device, const struct trm_module_desc *desc,
                        struct trm_module **module)
{
    struct trm_module_desc own = {.struct_size = sizeof(own)};
    struct core_module *made   = NULL;

    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(module, "trm_module_load", "module");
    if (status == TRM_OK)
        status = check_desc(found, desc, &own);
    if (status == TRM_OK)
        status = create_best(device, found, &own, &made);
    if (status == TRM_OK)
        *module = core_object_publish(&made->object);
    core_object_leave(&found->object);
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
    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = check_supported(found, format);
    core_object_leave(&found->object);
    return status;
}

/* ---- building ------------------------------------------------------------------------------ */

static int32_t build_in_backend(struct core_device *device, const struct trm_module_source *source,
                                uint32_t flags, const char *path)
{
    struct base_saved_error before;

    base_error_save(&before);
    base_error_clear();
    int32_t status = core_answer(device->backend, "module.build",
                                 device->backend->module.build(device->device, source, flags, path));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    base_error_restore(&before);
    return TRM_OK;
}

static int32_t check_build(struct core_device *device, int32_t format, uint32_t flags, const char *path)
{
    if (flags & ~(uint32_t)TRM_BUILD_PORTABLE)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_module_build: flags 0x%" PRIx32 " has unknown bits",
                         flags);
    if (path == NULL || path[0] == '\0')
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_module_build: `path` is NULL or empty");
    if (!core_module_is_portable(format))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_module_build: the module is native code; only portable kernels can be built");
    if (device->backend->module.build == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "device %s has no format for kernels that are built beforehand", device->id);
    return TRM_OK;
}

int32_t trm_module_build(struct trm_device *handle, const struct trm_module_desc *desc, uint32_t flags,
                         const char *path)
{
    struct trm_module_desc own        = {.struct_size = sizeof(own)};
    struct core_shader_code *portable = NULL;
    struct trm_module_source source;

    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = check_desc(device, desc, &own);
    if (status == TRM_OK)
        status = check_build(device, own.format, flags, path);
    if (status == TRM_OK)
        status = core_module_source_create(device->object.context, &own, &portable, &source);
    if (status == TRM_OK)
        status = build_in_backend(device, &source, flags, path);
    core_module_source_destroy(device->object.context, portable);
    core_object_leave(&device->object);
    return status;
}
