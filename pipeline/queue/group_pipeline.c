/* Pipelines of a group: the descriptor for each device, with the handles of that device.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/group/group.h"
#include "pipeline/queue/queue.h"

_Static_assert(TRM_GROUP_DEVICES <= PIPELINE_MEMBERS_MOST,
               "a pipeline has a member for each device of a group");

/* A descriptor with arrays of its own. */
struct copy {
    struct trm_pipeline_desc desc;
    struct trm_port *ports;
    struct trm_stage *stages;
    struct trm_argument *arguments; /* of all stages */
    size_t argument_count;
};

/* A stage may claim arguments and have none: that is refused later. */
static size_t count_arguments(const struct trm_pipeline_desc *desc)
{
    size_t count = 0;

    for (uint32_t i = 0; i < desc->stage_count; i++)
        if (desc->stages[i].arguments != NULL)
            count += desc->stages[i].argument_count;
    return count;
}

static void copy_fini(struct core_context *context, struct copy *copy)
{
    core_free(context, copy->arguments, copy->argument_count * sizeof(*copy->arguments));
    core_free(context, copy->stages, copy->desc.stage_count * sizeof(*copy->stages));
    core_free(context, copy->ports, copy->desc.port_count * sizeof(*copy->ports));
}

static int32_t copy_init(struct core_context *context, const struct trm_pipeline_desc *desc,
                         struct copy *copy)
{
    *copy           = (struct copy){.desc = *desc, .argument_count = count_arguments(desc)};
    copy->ports     = core_allocate(context, desc->port_count * sizeof(*copy->ports));
    copy->stages    = core_allocate(context, desc->stage_count * sizeof(*copy->stages));
    copy->arguments = core_allocate(context, copy->argument_count * sizeof(*copy->arguments));
    if ((copy->ports == NULL && desc->port_count > 0) || (copy->stages == NULL && desc->stage_count > 0) ||
        (copy->arguments == NULL && copy->argument_count > 0))
        return base_fail_memory("making a pipeline");
    copy->desc.ports  = copy->ports;
    copy->desc.stages = copy->stages;
    return TRM_OK;
}

static int32_t resolve_buffer(const struct pipeline_group *group, uint32_t index, struct trm_buffer **buffer)
{
    void *one;
    int32_t status = pipeline_replica_resolve(group, index, CORE_GROUP_BUFFER, *buffer, &one);
    if (status == TRM_OK)
        *buffer = one;
    return status;
}

static int32_t resolve_ports(const struct pipeline_group *group, uint32_t index,
                             const struct trm_pipeline_desc *desc, struct copy *copy)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < desc->port_count; i++) {
        copy->ports[i] = desc->ports[i];
        if (copy->ports[i].kind == TRM_PORT_SHARED)
            status = resolve_buffer(group, index, &copy->ports[i].buffer);
    }
    return status;
}

static bool has_span(const struct trm_argument *argument)
{
    return argument->kind == TRM_PARAMETER_BUFFER || argument->kind == TRM_PARAMETER_TEXELS;
}

static int32_t resolve_stages(const struct pipeline_group *group, uint32_t index,
                              const struct trm_pipeline_desc *desc, struct copy *copy)
{
    struct trm_argument *next = copy->arguments;
    int32_t status            = TRM_OK;
    void *kernel;

    for (uint32_t i = 0; status == TRM_OK && i < desc->stage_count; i++) {
        struct trm_stage *stage = &copy->stages[i];
        uint32_t device         = pipeline_desc_device(desc, i, index);
        *stage                  = desc->stages[i];
        status        = pipeline_replica_resolve(group, device, CORE_GROUP_KERNEL, stage->kernel, &kernel);
        stage->kernel = kernel;
        if (stage->arguments == NULL)
            continue;
        for (uint32_t k = 0; status == TRM_OK && k < stage->argument_count; k++) {
            next[k] = stage->arguments[k];
            if (has_span(&next[k]))
                status = resolve_buffer(group, device, &next[k].value.span.buffer);
        }
        stage->arguments = next;
        next += stage->argument_count;
    }
    return status;
}

/* The descriptor for one device of the group. */
static int32_t copy_for(const struct pipeline_group *group, uint32_t index,
                        const struct trm_pipeline_desc *desc, struct copy *copy)
{
    int32_t status = copy_init(group->object.context, desc, copy);
    if (status == TRM_OK)
        status = resolve_ports(group, index, desc, copy);
    if (status == TRM_OK)
        status = resolve_stages(group, index, desc, copy);
    return status;
}

static int32_t create(struct trm_group *handle, struct pipeline_group *group,
                      const struct trm_pipeline_desc *desc, struct trm_pipeline **pipeline)
{
    struct pipeline_place places[TRM_GROUP_DEVICES];
    struct copy copies[TRM_GROUP_DEVICES];
    int32_t status = TRM_OK;
    uint32_t made  = 0;

    for (; status == TRM_OK && made < group->count; made++) {
        status       = copy_for(group, made, desc, &copies[made]);
        places[made] = (struct pipeline_place){.device = group->devices[made], .desc = &copies[made].desc};
    }
    if (status == TRM_OK)
        status = pipeline_create(places, group->count, handle, pipeline);
    for (uint32_t i = 0; i < made; i++)
        copy_fini(group->object.context, &copies[i]);
    return status;
}

int32_t trm_group_pipeline_create(struct trm_group *handle, const struct trm_pipeline_desc *desc,
                                  struct trm_pipeline **pipeline)
{
    struct trm_pipeline_desc own;
    struct pipeline_group *group = core_object_enter(handle, CORE_GROUP);
    if (group == NULL)
        return base_last_status();
    int32_t status = core_output_check(pipeline, "trm_group_pipeline_create", "pipeline");
    if (status == TRM_OK)
        status = pipeline_desc_copy(&own, desc);
    if (status == TRM_OK)
        status = pipeline_desc_counts_check(&own);
    if (status == TRM_OK)
        status = pipeline_desc_devices_check(&own, group->count);
    if (status == TRM_OK)
        status = create(handle, group, &own, pipeline);
    core_object_leave(&group->object);
    return status;
}
