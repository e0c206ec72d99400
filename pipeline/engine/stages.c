/* Copies stages.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/stream/stream.h"
#include "pipeline/engine/away.h"

/* Leaves room for the number of a stage, so that a report has the whole name. */
#define STAGE_NAME_MOST 44

static int32_t resolve_grid(struct pipeline_stage_subject *subject)
{
    subject->plan->group_size = subject->kernel->group_size[0];
    subject->plan->parameters = subject->kernel->parameters;
    if (subject->declared->shape == NULL && subject->declared->items_bytes != 0 &&
        subject->plan->group_size == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "kernel \"%s\" has no group size of its own, so it needs a grid of groups, not a "
                         "number of work-items",
                         subject->kernel->name);
    return TRM_OK;
}

/* Devices of a group are often the program's own, opened once more: their ids tell nothing. A stage that
 * prefers one may have a kernel of that one alone. */
static int32_t fail_kernel_device(const struct pipeline_stage_subject *subject,
                                  const struct core_device *device)
{
    if (subject->pipeline->front != subject->pipeline && subject->plan->away == NULL)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "kernel \"%s\" is a kernel of one device (%s); the pipeline of a group takes group "
                         "kernels, by trm_group_stage_kernel()",
                         subject->kernel->name, subject->kernel->module->device->id);
    return base_fail(TRM_ERROR_WRONG_DEVICE, "kernel \"%s\" belongs to another device (%s) than %s (%s)",
                     subject->kernel->name, subject->kernel->module->device->id,
                     pipeline_stage_place(subject->plan), device->id);
}

static int32_t resolve_launch(struct pipeline_stage_subject *subject)
{
    const struct core_device *device = pipeline_stage_device(subject->pipeline, subject->plan);

    if (subject->kernel->module->device != device)
        return fail_kernel_device(subject, device);
    int32_t status = resolve_grid(subject);
    return status == TRM_OK ? pipeline_stage_arguments(subject) : status;
}

static int32_t hold_kernel(struct pipeline_stage_subject *subject)
{
    void *held;

    int32_t status = core_object_hold(subject->declared->kernel, CORE_KERNEL, &held);
    if (status != TRM_OK)
        return status;
    subject->plan->kernel = held;
    subject->kernel       = core_kernel_find(held);
    return subject->kernel != NULL ? TRM_OK : base_last_status();
}

/* The stream of the program's that the stage prefers. */
static int32_t hold_stream(struct pipeline_stage_subject *subject, struct trm_stream *given)
{
    const struct core_device *device = subject->pipeline->device;

    int32_t status = core_stream_hold(given, &subject->plan->stream);
    if (status != TRM_OK)
        return status;
    const struct core_stream *stream = core_stream_find(subject->plan->stream);
    if (stream == NULL || stream->device == device)
        return stream != NULL ? TRM_OK : base_last_status();
    return base_fail(TRM_ERROR_WRONG_DEVICE,
                     "its stream belongs to another device (%s) than the pipeline (%s)", stream->device->id,
                     device->id);
}

static int32_t name_stage(struct pipeline_stage_subject *subject)
{
    const char *name = subject->declared->name;

    if (name == NULL)
        name = subject->kernel != NULL ? subject->kernel->name : "host";
    subject->plan->name = core_copy_text(subject->pipeline->object.context, name);
    return subject->plan->name != NULL ? TRM_OK : base_fail_memory("making a pipeline");
}

/* number: of the stage in the descriptor; index: in the engine. */
static int32_t copy_stage(struct pipeline *pipeline, const struct trm_pipeline_desc *desc, uint32_t number,
                          uint32_t index)
{
    const struct trm_stage *stages        = desc->stages;
    const struct trm_stage *declared      = &stages[number];
    struct pipeline_device *engine        = pipeline->engine;
    struct trm_stage *stage               = &pipeline->stages[index];
    struct pipeline_stage_subject subject = {
        .pipeline = pipeline, .plan = &engine->plans[index], .declared = declared};
    int32_t status = pipeline_away_note(pipeline, desc, number, subject.plan);
    char text[PIPELINE_LABEL_BYTES];

    if (status == TRM_OK && declared->host == NULL)
        status = hold_kernel(&subject);
    if (status == TRM_OK)
        status = name_stage(&subject);
    if (status == TRM_OK && declared->host == NULL)
        status = resolve_launch(&subject);
    if (status == TRM_OK && desc->streams != NULL && subject.plan->prefers == TRM_STAGE_STREAM_GIVEN)
        status = hold_stream(&subject, desc->streams[number].stream);
    if (status != TRM_OK)
        return base_fail(status, "%s: %s", pipeline_stage_label(stages, number, text),
                         trm_last_error().sentence);

    *stage                 = *declared;
    stage->name            = subject.plan->name;
    stage->arguments       = subject.plan->arguments;
    subject.plan->declared = number;
    if (declared->host != NULL) {
        subject.plan->number        = engine->host_count++;
        subject.plan->reads         = declared->host_reads;
        subject.plan->writes        = declared->host_writes;
        subject.plan->surely_writes = declared->host_writes;
        engine->host_writes |= declared->host_writes;
        engine->host_ports |= declared->host_reads | declared->host_writes;
    } else {
        engine->launch_count++;
        engine->has_shapes |= declared->shape != NULL;
        engine->kernel_writes |= subject.plan->writes;
        engine->writes_images |= subject.plan->writes_image;
    }
    return TRM_OK;
}

/* Without stages outputs are copied through; with stages an output that none writes is a mistake. */
static int32_t check_outputs(const struct pipeline_device *engine, const struct trm_pipeline_desc *desc)
{
    uint64_t left = engine->output_ports & ~(engine->kernel_writes | engine->host_writes);
    char text[PIPELINE_LABEL_BYTES];

    if (left == 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s is an output, but no stage writes it",
                     pipeline_port_label(desc->ports, (uint64_t)__builtin_ctzll(left), text));
}

static int32_t rename_stage(struct pipeline *pipeline, uint32_t index, const char *name, uint32_t number)
{
    struct core_context *context     = pipeline->object.context;
    struct pipeline_stage_plan *plan = &pipeline->engine->plans[index];
    char text[PIPELINE_LABEL_BYTES];

    snprintf(text, sizeof(text), "%.*s %" PRIu32, STAGE_NAME_MOST, name, number);
    char *copy = core_copy_text(context, text);
    if (copy == NULL)
        return base_fail_memory("making a pipeline");
    core_free(context, plan->name, strlen(plan->name) + 1);
    plan->name                   = copy;
    pipeline->stages[index].name = copy;
    return TRM_OK;
}

/* Numbers stages of the same name, "sobel 1" and "sobel 2", so that reports and failures can tell them
 * apart. */
static int32_t number_equals(struct pipeline *pipeline, uint32_t first)
{
    const struct pipeline_stage_plan *plans = pipeline->engine->plans;
    char name[PIPELINE_LABEL_BYTES];
    uint32_t number = 0;
    int32_t status  = TRM_OK;

    base_text_copy(name, sizeof(name), plans[first].name);
    for (uint32_t i = first + 1; status == TRM_OK && i < pipeline->desc.stage_count; i++) {
        if (strcmp(plans[i].name, name) != 0)
            continue;
        if (number == 0)
            status = rename_stage(pipeline, first, name, ++number);
        if (status == TRM_OK)
            status = rename_stage(pipeline, i, name, ++number);
    }
    return status;
}

int32_t pipeline_stages_copy(struct pipeline *pipeline, const struct trm_pipeline_desc *desc)
{
    struct core_context *context   = pipeline->object.context;
    struct pipeline_device *engine = pipeline->engine;
    int32_t status                 = TRM_OK;
    uint32_t count                 = desc->stage_count;
    uint32_t declared[PIPELINE_STAGES_MOST];

    engine->has_order =
        desc->after != NULL || desc->priorities != NULL || desc->streams != NULL || desc->devices != NULL;
    pipeline->desc.after      = NULL;
    pipeline->desc.priorities = NULL;
    pipeline->desc.streams    = NULL;
    pipeline->desc.devices    = NULL;
    if (count == 0)
        return TRM_OK;
    engine->plans    = core_allocate(context, count * sizeof(*engine->plans));
    pipeline->stages = core_allocate(context, count * sizeof(*pipeline->stages));
    if (engine->plans == NULL || pipeline->stages == NULL)
        return base_fail_memory("making a pipeline");
    pipeline_branches_sort(desc, engine->plans, declared);
    for (uint32_t i = 0; status == TRM_OK && i < count; i++)
        status = copy_stage(pipeline, desc, declared[i], i);
    for (uint32_t i = 0; status == TRM_OK && i < count; i++)
        status = number_equals(pipeline, i);
    if (status == TRM_OK)
        status = check_outputs(engine, desc);
    if (status == TRM_OK)
        status = pipeline_branches_plan(pipeline);
    if (status == TRM_OK)
        status = pipeline_away_plan(pipeline);
    if (status == TRM_OK)
        pipeline->desc.stages = pipeline->stages;
    return status;
}

static void plan_fini(struct core_context *context, struct pipeline_stage_plan *plan)
{
    pipeline_stage_arguments_fini(context, plan);
    if (plan->name != NULL)
        core_free(context, plan->name, strlen(plan->name) + 1);
    core_object_end_hold(plan->kernel);
    core_stream_end_hold(plan->stream);
}

void pipeline_stages_fini(struct pipeline *pipeline)
{
    struct core_context *context   = pipeline->object.context;
    struct pipeline_device *engine = pipeline->engine;
    uint32_t count                 = pipeline->desc.stage_count;

    pipeline_branches_fini(pipeline);
    pipeline_away_fini(pipeline);
    for (uint32_t i = 0; engine->plans != NULL && i < count; i++)
        plan_fini(context, &engine->plans[i]);
    core_free(context, engine->plans, count * sizeof(*engine->plans));
    core_free(context, pipeline->stages, count * sizeof(*pipeline->stages));
    engine->plans    = NULL;
    pipeline->stages = NULL;
}
