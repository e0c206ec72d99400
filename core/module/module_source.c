/* What a module is loaded from.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/module_source.h"

#include <inttypes.h>
#include <string.h>
#include <trireme/cpu_kernel.h>

#include "core/module/module_native.h"
#include "core/object/object.h"
#include "core/shader/shader.h"

/* ---- checks -------------------------------------------------------------------------------- */

static int32_t check_functions(const struct trm_module_desc *desc)
{
    const struct trm_cpu_kernel *kernels = desc->data;
    uint64_t count                       = desc->size / sizeof(*kernels);

    if (count == 0 || desc->size % sizeof(*kernels) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%" PRIu64 " bytes are not an array of struct trm_cpu_kernel (%zu bytes each)",
                         desc->size, sizeof(*kernels));
    for (uint64_t i = 0; i < count; i++)
        if (kernels[i].name == NULL || kernels[i].function == NULL ||
            (kernels[i].parameters == NULL && kernels[i].parameter_count != 0))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "kernel %" PRIu64 " of the array has no name, no function or no parameters", i);
    return TRM_OK;
}

static int32_t check_path(const struct trm_module_desc *desc)
{
    if (desc->size == 0 || memchr(desc->data, 0, desc->size) == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the path of a shared object has no terminating zero within its %" PRIu64 " bytes",
                         desc->size);
    if (*(const char *)desc->data != '/')
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the path of a shared object is not absolute: \"%s\"",
                         (const char *)desc->data);
    return TRM_OK;
}

static int32_t check_device_code(const struct trm_module_desc *desc)
{
    if (desc->size != 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the description of a module has no bytes of data");
}

int32_t core_module_desc_check(const struct trm_module_desc *desc)
{
    if (desc->data == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the description of a module has no data");
    if (desc->constant_count != 0 && !core_module_is_portable(desc->format))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "native code has no specialisation constants, but %" PRIu32 " were given",
                         desc->constant_count);
    switch (desc->format) {
    case TRM_MODULE_FUNCTIONS:
        return check_functions(desc);
    case TRM_MODULE_SHARED_OBJECT:
        return check_path(desc);
    case TRM_MODULE_CUBIN:
    case TRM_MODULE_PTX:
    case TRM_MODULE_CUDA:
        return check_device_code(desc);
    default:
        return TRM_OK;
    }
}

/* ---- portable code ------------------------------------------------------------------------- */

static int32_t copy_shader(struct core_context *context, const struct trm_module_desc *desc,
                           struct core_shader_code *portable)
{
    int32_t status;

    struct core_shader *shader = core_object_enter(desc->data, CORE_SHADER);
    if (shader == NULL)
        return base_last_status();
    if (shader->object.context == context)
        status = core_shader_code_copy(portable, &shader->code, desc->name);
    else
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "the shader and the device belong to two contexts");
    core_object_leave(&shader->object);
    return status;
}

static int32_t read_desc(struct core_context *context, const struct trm_module_desc *desc,
                         struct core_shader_code *portable)
{
    struct trm_shader_desc shader = {
        .struct_size = sizeof(shader),
        .format      = desc->format,
        .data        = desc->data,
        .size        = desc->size,
        .name        = desc->name,
        .glsl        = desc->glsl,
    };
    int32_t status;

    if (desc->format == TRM_MODULE_SHADER)
        status = copy_shader(context, desc, portable);
    else
        status = core_shader_code_load(portable, &shader);
    if (status == TRM_OK)
        status = core_shader_code_read(portable, desc->constants, desc->constant_count);
    if (status == TRM_OK)
        status = core_shader_code_check(portable);
    return status;
}

int32_t core_module_source_create(struct core_context *context, const struct trm_module_desc *desc,
                                  struct core_shader_code **portable, struct trm_module_source *source)
{
    *portable = NULL;
    if (!core_module_is_portable(desc->format)) {
        *source = (struct trm_module_source){
            .struct_size = sizeof(*source),
            .format      = desc->format,
            .data        = desc->data,
            .size        = desc->size,
            .name        = desc->name != NULL ? desc->name : "module",
        };
        return core_module_is_device_code(desc->format)
                   ? core_native_options_create(context, desc->native, &source->native)
                   : TRM_OK;
    }
    struct core_shader_code *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("loading a module");
    core_shader_code_init(made, context);
    int32_t status = read_desc(context, desc, made);
    if (status != TRM_OK) {
        core_module_source_destroy(context, made);
        return status;
    }
    core_shader_code_source(made, source);
    *portable = made;
    return TRM_OK;
}

void core_module_source_release(struct core_context *context, struct trm_module_source *source)
{
    core_native_options_destroy(context, source->native);
    source->native = NULL;
}

void core_module_source_destroy(struct core_context *context, struct core_shader_code *portable)
{
    if (portable == NULL)
        return;
    core_shader_code_fini(portable);
    core_free(context, portable, sizeof(*portable));
}
