/* The buffers, images and samplers that a pipeline was given: in shared ports and as arguments. The pipeline
 * holds them, so that it can use them when the program has destroyed its handles.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "pipeline/engine/engine_internal.h"

static uint32_t count_most(const struct trm_pipeline_desc *desc)
{
    uint32_t count = desc->port_count + 1;

    for (uint32_t i = 0; i < desc->stage_count; i++)
        count += desc->stages[i].argument_count * PIPELINE_HOLDS_OF_ARGUMENT;
    return count;
}

int32_t pipeline_holds_create(struct pipeline *pipeline, const struct trm_pipeline_desc *desc)
{
    struct pipeline_holds *holds = &pipeline->engine->holds;
    uint32_t room                = count_most(desc);

    holds->objects = core_allocate(pipeline->object.context, room * sizeof(*holds->objects));
    if (holds->objects == NULL)
        return base_fail_memory("making a pipeline");
    holds->room = room;
    return TRM_OK;
}

int32_t pipeline_holds_add(struct pipeline *pipeline, enum core_type type, void *given, void *held)
{
    struct pipeline_holds *holds = &pipeline->engine->holds;
    void *handle;

    int32_t status = core_object_hold(given, type, &handle);
    if (status != TRM_OK)
        return status;
    memcpy(held, &handle, sizeof(handle));
    holds->objects[holds->count++] = (struct pipeline_held){.held = handle, .given = given};
    return TRM_OK;
}

void *pipeline_holds_given(const struct pipeline *pipeline, void *held)
{
    const struct pipeline_holds *holds = &pipeline->engine->holds;

    for (uint32_t i = 0; i < holds->count; i++)
        if (holds->objects[i].held == held)
            return holds->objects[i].given;
    return held;
}

void pipeline_holds_destroy(struct pipeline *pipeline)
{
    struct pipeline_holds *holds = &pipeline->engine->holds;

    for (uint32_t i = 0; i < holds->count; i++)
        core_object_end_hold(holds->objects[i].held);
    core_free(pipeline->object.context, holds->objects, holds->room * sizeof(*holds->objects));
    *holds = (struct pipeline_holds){0};
}
