/* Creates shaders and describes their kernels and constants.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/shader_object.h"

#include <inttypes.h>

#include "core/object/object.h"
#include "core/shader/kernel_path.h"

/* Bytes of the structures in the first version. */
#define DESC_MIN 40
#define KERNEL_INFO_MIN 40
#define CONSTANT_INFO_MIN 32
#define VIEW_INFO_MIN 48

/* ---- life ---------------------------------------------------------------------------------- */

static void shader_release(struct core_object *object)
{
    struct core_shader *shader   = base_container_of(object, struct core_shader, object);
    struct core_context *context = object->context;

    core_shader_free_texts(shader);
    core_shader_code_fini(&shader->code);
    core_free(context, shader, sizeof(*shader));
}

static const struct core_object_ops shader_ops = {
    .type    = CORE_SHADER,
    .name    = "shader",
    .source  = __FILE__,
    .release = shader_release,
};

static int32_t shader_create(struct core_context *context, const struct trm_shader_desc *desc,
                             struct core_shader **shader)
{
    struct core_shader *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a shader");
    core_shader_code_init(&made->code, context);
    int32_t status = core_shader_code_load(&made->code, desc);
    if (status == TRM_OK)
        status = core_shader_code_read(&made->code, NULL, 0);
    if (status == TRM_OK)
        status = core_object_init(&made->object, &shader_ops, context);
    if (status != TRM_OK) {
        core_shader_code_fini(&made->code);
        core_free(context, made, sizeof(*made));
        return status;
    }
    *shader = made;
    return TRM_OK;
}

int32_t trm_shader_create(struct trm_context *handle, const struct trm_shader_desc *desc,
                          struct trm_shader **shader)
{
    struct trm_shader_desc own   = {.struct_size = sizeof(own)};
    struct core_shader *made     = NULL;
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();

    int32_t status = core_output_check(shader, "trm_shader_create", "shader");
    if (status == TRM_OK && (desc == NULL || !core_struct_copy_in(&own, sizeof(own), desc, DESC_MIN)))
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT,
                           "trm_shader_create: `desc` is NULL or its struct_size is too small");
    if (status == TRM_OK)
        status = shader_create(context, &own, &made);
    if (status == TRM_OK)
        *shader = core_object_publish(&made->object);
    core_object_leave(&context->object);
    return status;
}

void trm_shader_destroy(struct trm_shader *shader)
{
    core_object_kill_handle(shader, CORE_SHADER);
}

/* ---- description --------------------------------------------------------------------------- */

static int32_t find_bytes(const struct core_shader *found, const void **bytes, uint64_t *size)
{
    int32_t status = core_output_check(bytes, "trm_shader_bytes", "bytes");
    if (status == TRM_OK)
        status = core_output_check(size, "trm_shader_bytes", "size");
    if (status != TRM_OK)
        return status;
    *bytes = found->code.words;
    *size  = (uint64_t)found->code.word_count * sizeof(*found->code.words);
    return TRM_OK;
}

int32_t trm_shader_bytes(struct trm_shader *shader, const void **bytes, uint64_t *size)
{
    struct core_shader *found = core_object_enter(shader, CORE_SHADER);
    if (found == NULL)
        return base_last_status();
    int32_t status = find_bytes(found, bytes, size);
    core_object_leave(&found->object);
    return status;
}

static int32_t describe_kernel(const struct core_shader *found, uint32_t index, struct trm_kernel_info *info)
{
    const struct spirv_reflection *reflection = &found->code.reflection;
    if (index >= reflection->kernel_count)
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "shader \"%s\" has no kernel %" PRIu32 ", only %" PRIu32 " of them",
                         found->code.name, index, reflection->kernel_count);
    if (info == NULL ||
        !core_struct_copy_out(info, &reflection->kernels[index], sizeof(*info), KERNEL_INFO_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_shader_kernel: `info` is NULL or its struct_size is too small");
    return TRM_OK;
}

int32_t trm_shader_kernel(struct trm_shader *shader, uint32_t index, struct trm_kernel_info *info)
{
    struct core_shader *found = core_object_enter(shader, CORE_SHADER);
    if (found == NULL)
        return base_last_status();
    int32_t status = describe_kernel(found, index, info);
    core_object_leave(&found->object);
    return status;
}

static int32_t describe_constant(const struct core_shader *found, uint32_t index,
                                 struct trm_constant_info *info)
{
    const struct spirv_reflection *reflection = &found->code.reflection;
    if (index >= reflection->constant_count)
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "shader \"%s\" has no constant %" PRIu32 ", only %" PRIu32 " of them",
                         found->code.name, index, reflection->constant_count);
    if (info == NULL ||
        !core_struct_copy_out(info, &reflection->constants[index], sizeof(*info), CONSTANT_INFO_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_shader_constant: `info` is NULL or its struct_size is too small");
    return TRM_OK;
}

int32_t trm_shader_constant(struct trm_shader *shader, uint32_t index, struct trm_constant_info *info)
{
    struct core_shader *found = core_object_enter(shader, CORE_SHADER);
    if (found == NULL)
        return base_last_status();
    int32_t status = describe_constant(found, index, info);
    core_object_leave(&found->object);
    return status;
}

static int32_t describe_view(const struct core_shader *found, uint32_t index, struct trm_view_info *info)
{
    const struct spirv_reflection *reflection = &found->code.reflection;
    if (index >= reflection->view_count)
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "shader \"%s\" has no further view %" PRIu32 " of its buffers, only %" PRIu32,
                         found->code.name, index, reflection->view_count);
    if (info == NULL ||
        !core_struct_copy_out(info, &reflection->views[index].info, sizeof(*info), VIEW_INFO_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_shader_view: `info` is NULL or its struct_size is too small");
    return TRM_OK;
}

int32_t trm_shader_view(struct trm_shader *shader, uint32_t index, struct trm_view_info *info)
{
    struct core_shader *found = core_object_enter(shader, CORE_SHADER);
    if (found == NULL)
        return base_last_status();
    int32_t status = describe_view(found, index, info);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_shader_list(struct trm_context *handle, trm_shader_visit_fn visit, void *user)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = visit != NULL
                         ? core_kernel_path_list(context, visit, user)
                         : base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_shader_list: `visit` is NULL");
    core_object_leave(&context->object);
    return status;
}
