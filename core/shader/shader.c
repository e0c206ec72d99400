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
#define MEMBER_INFO_MIN 56

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

/* What trm_shader_kernel(), _constant(), _view() and _member() look up in a reflection. */
struct part {
    const char *call, *what; /* for messages */
    uint32_t size, least;    /* bytes of a description, and of its first version */
    uint32_t count;
    uint64_t stride;   /* bytes from one to the next */
    const void *first; /* NULL: there are none */
};

static struct part kernels_of(const struct spirv_reflection *reflection)
{
    return (struct part){"trm_shader_kernel",          "kernel",
                         sizeof(*reflection->kernels), KERNEL_INFO_MIN,
                         reflection->kernel_count,     sizeof(*reflection->kernels),
                         reflection->kernels};
}

static struct part constants_of(const struct spirv_reflection *reflection)
{
    return (struct part){"trm_shader_constant",          "constant",
                         sizeof(*reflection->constants), CONSTANT_INFO_MIN,
                         reflection->constant_count,     sizeof(*reflection->constants),
                         reflection->constants};
}

static struct part views_of(const struct spirv_reflection *reflection)
{
    return (struct part){"trm_shader_view",
                         "further view of a buffer",
                         sizeof(reflection->views->info),
                         VIEW_INFO_MIN,
                         reflection->view_count,
                         sizeof(*reflection->views),
                         reflection->view_count != 0 ? &reflection->views->info : NULL};
}

static struct part members_of(const struct spirv_reflection *reflection)
{
    return (struct part){"trm_shader_member",          "member",
                         sizeof(*reflection->members), MEMBER_INFO_MIN,
                         reflection->member_count,     sizeof(*reflection->members),
                         reflection->members};
}

static int32_t describe(const struct core_shader *found, const struct part *part, uint32_t index, void *info)
{
    if (index >= part->count)
        return base_fail(TRM_ERROR_NOT_FOUND, "shader \"%s\" has no %s %" PRIu32 ", only %" PRIu32 " of them",
                         found->code.name, part->what, index, part->count);
    if (info == NULL || !core_struct_copy_out(info, (const char *)part->first + index * part->stride,
                                              part->size, part->least))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s: `info` is NULL or its struct_size is too small",
                         part->call);
    return TRM_OK;
}

static int32_t describe_part(struct trm_shader *shader,
                             struct part (*part_of)(const struct spirv_reflection *reflection),
                             uint32_t index, void *info)
{
    struct core_shader *found = core_object_enter(shader, CORE_SHADER);
    if (found == NULL)
        return base_last_status();
    struct part part = part_of(&found->code.reflection);
    int32_t status   = describe(found, &part, index, info);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_shader_kernel(struct trm_shader *shader, uint32_t index, struct trm_kernel_info *info)
{
    return describe_part(shader, kernels_of, index, info);
}

int32_t trm_shader_constant(struct trm_shader *shader, uint32_t index, struct trm_constant_info *info)
{
    return describe_part(shader, constants_of, index, info);
}

int32_t trm_shader_view(struct trm_shader *shader, uint32_t index, struct trm_view_info *info)
{
    return describe_part(shader, views_of, index, info);
}

int32_t trm_shader_member(struct trm_shader *shader, uint32_t index, struct trm_member_info *info)
{
    return describe_part(shader, members_of, index, info);
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
