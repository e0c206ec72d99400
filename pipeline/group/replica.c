/* Kernels and buffers of groups: one on each device.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "core/memory/memory.h"
#include "pipeline/group/group.h"

/* ---- the objects ---------------------------------------------------------------------------- */

static void destroy_one(enum core_type type, void *one)
{
    if (type == CORE_GROUP_KERNEL) {
        core_object_set_part(one, CORE_KERNEL, false);
        trm_kernel_destroy(one);
    } else {
        core_buffer_release_owner(core_buffer_find(one));
    }
}

/* Only the group's object ends it, whatever the program does with its handle. */
static int32_t keep_one(enum core_type type, void *one)
{
    if (type == CORE_GROUP_KERNEL) {
        core_object_set_part(one, CORE_KERNEL, true);
        return TRM_OK;
    }
    struct core_buffer *buffer = core_buffer_find(one);
    int32_t status             = core_buffer_add_owner(buffer);
    return status == TRM_OK ? core_buffer_release_user(buffer) : status;
}

static void replica_retire(struct core_object *object)
{
    struct pipeline_replica *replica = (struct pipeline_replica *)object;
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t i = 0; i < replica->count; i++)
        destroy_one(object->ops->type, replica->ones[i]);
    base_error_restore(&saved);
}

static void replica_release(struct core_object *object)
{
    struct pipeline_replica *replica = (struct pipeline_replica *)object;
    struct pipeline_group *group     = replica->group;

    pipeline_data_fini(object->context, &replica->data);
    core_free(object->context, object, sizeof(struct pipeline_replica));
    core_object_release(&group->object);
}

static const struct core_object_ops kernel_ops = {
    .type    = CORE_GROUP_KERNEL,
    .name    = "kernel of a group",
    .source  = __FILE__,
    .retire  = replica_retire,
    .release = replica_release,
};

static const struct core_object_ops buffer_ops = {
    .type    = CORE_GROUP_BUFFER,
    .name    = "buffer of a group",
    .source  = __FILE__,
    .retire  = replica_retire,
    .release = replica_release,
};

/* ---- making --------------------------------------------------------------------------------- */

/* What is made on each device: one of the three. */
struct recipe {
    const struct core_object_ops *ops;
    const char *call, *output; /* for errors */
    const struct trm_module_desc *module;
    const char *name;
    const struct trm_constant *constants;
    uint32_t constant_count;
    const struct trm_buffer_desc *buffer;
};

static int32_t load(struct trm_device *device, const struct recipe *recipe, struct trm_kernel **kernel)
{
    struct trm_module *module;

    if (recipe->module == NULL)
        return trm_kernel_named(device, recipe->name, recipe->constants, recipe->constant_count, kernel);
    int32_t status = trm_module_load(device, recipe->module, &module);
    if (status != TRM_OK)
        return status;
    status = trm_kernel_get(module, recipe->name, kernel);
    struct base_saved_error saved;
    base_error_save(&saved);
    trm_module_destroy(module); /* the kernel keeps the module */
    base_error_restore(&saved);
    return status;
}

static int32_t make_one(struct trm_device *device, const struct recipe *recipe, void **one)
{
    struct trm_kernel *kernel;
    struct trm_buffer *buffer;
    int32_t status;

    if (recipe->ops == &kernel_ops) {
        status = load(device, recipe, &kernel);
        *one   = kernel;
    } else {
        status = trm_buffer_create_from(device, recipe->buffer, &buffer);
        *one   = buffer;
    }
    return status == TRM_OK ? keep_one(recipe->ops->type, *one) : status;
}

static int32_t make(struct pipeline_group *group, const struct recipe *recipe, void **handle)
{
    struct core_context *context     = group->object.context;
    struct pipeline_replica *replica = core_allocate(context, sizeof(*replica));
    if (replica == NULL)
        return base_fail_memory("making a part of a group");
    int32_t status = core_object_init(&replica->object, recipe->ops, context);
    if (status != TRM_OK) {
        core_free(context, replica, sizeof(*replica));
        return status;
    }
    core_object_retain(&group->object);
    replica->group = group;
    for (uint32_t i = 0; status == TRM_OK && i < group->count; i++) {
        status = make_one(group->held[i], recipe, &replica->ones[i]);
        if (status == TRM_OK)
            replica->count++;
        else
            status = pipeline_group_fail(group, i, status);
    }
    if (status == TRM_OK && recipe->ops == &buffer_ops)
        pipeline_data_init(&replica->data, core_buffer_find(replica->ones[0])->size,
                           (1u << group->count) - 1);
    if (status != TRM_OK) {
        struct base_saved_error saved;
        base_error_save(&saved);
        core_object_abandon(&replica->object);
        base_error_restore(&saved);
        return status;
    }
    *handle = core_object_publish(&replica->object);
    return TRM_OK;
}

/* output: a pointer to the handle of the caller's type. */
static int32_t make_in(struct trm_group *handle, const struct recipe *recipe, void *output)
{
    struct pipeline_group *group = core_object_enter(handle, CORE_GROUP);
    if (group == NULL)
        return base_last_status();
    void *made     = NULL;
    int32_t status = core_output_check(output, recipe->call, recipe->output);
    if (status == TRM_OK)
        status = make(group, recipe, &made);
    if (status == TRM_OK)
        memcpy(output, &made, sizeof(made));
    core_object_leave(&group->object);
    return status;
}

/* output: as in make_in(). */
static int32_t get_one(const void *handle, enum core_type type, uint32_t index, const char *call,
                       void *output)
{
    struct pipeline_replica *replica = core_object_enter(handle, type);
    if (replica == NULL)
        return base_last_status();
    int32_t status = core_output_check(output, call, "one");
    if (status == TRM_OK && index >= replica->count)
        status = pipeline_group_fail_index(replica->group, index);
    if (status == TRM_OK)
        memcpy(output, &replica->ones[index], sizeof(replica->ones[index]));
    core_object_leave(&replica->object);
    return status;
}

int32_t pipeline_replica_resolve(const struct pipeline_group *group, uint32_t index, enum core_type type,
                                 void *given, void **one)
{
    *one = given;
    if (!core_object_is_alive(given, type))
        return TRM_OK;
    struct pipeline_replica *replica = core_object_enter(given, type);
    if (replica == NULL)
        return base_last_status();
    bool is_ours = replica->group == group;
    if (is_ours)
        *one = replica->ones[index];
    core_object_leave(&replica->object);
    return is_ours ? TRM_OK
                   : base_fail(TRM_ERROR_WRONG_DEVICE, "the %s belongs to another group",
                               type == CORE_GROUP_KERNEL ? "kernel" : "buffer");
}

/* ---- public functions ----------------------------------------------------------------------- */

int32_t trm_group_kernel_load(struct trm_group *group, const struct trm_module_desc *desc, const char *name,
                              struct trm_group_kernel **kernel)
{
    const struct recipe recipe = {.ops    = &kernel_ops,
                                  .call   = "trm_group_kernel_load",
                                  .output = "kernel",
                                  .module = desc,
                                  .name   = name};

    if (desc == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_group_kernel_load: `desc` is NULL");
    return make_in(group, &recipe, kernel);
}

int32_t trm_group_kernel_named(struct trm_group *group, const char *name,
                               const struct trm_constant *constants, uint32_t constant_count,
                               struct trm_group_kernel **kernel)
{
    const struct recipe recipe = {.ops            = &kernel_ops,
                                  .call           = "trm_group_kernel_named",
                                  .output         = "kernel",
                                  .name           = name,
                                  .constants      = constants,
                                  .constant_count = constant_count};

    return make_in(group, &recipe, kernel);
}

void trm_group_kernel_destroy(struct trm_group_kernel *kernel)
{
    core_object_kill_handle(kernel, CORE_GROUP_KERNEL);
}

int32_t trm_group_kernel_get(struct trm_group_kernel *kernel, uint32_t index, struct trm_kernel **one)
{
    return get_one(kernel, CORE_GROUP_KERNEL, index, "trm_group_kernel_get", one);
}

int32_t trm_group_buffer_create(struct trm_group *group, const struct trm_buffer_desc *desc,
                                struct trm_group_buffer **buffer)
{
    const struct recipe recipe = {
        .ops = &buffer_ops, .call = "trm_group_buffer_create", .output = "buffer", .buffer = desc};

    return make_in(group, &recipe, buffer);
}

void trm_group_buffer_destroy(struct trm_group_buffer *buffer)
{
    core_object_kill_handle(buffer, CORE_GROUP_BUFFER);
}

int32_t trm_group_buffer_get(struct trm_group_buffer *buffer, uint32_t index, struct trm_buffer **one)
{
    return get_one(buffer, CORE_GROUP_BUFFER, index, "trm_group_buffer_get", one);
}
