/* Arguments of a stage, checked against the kernel's parameters and put in their order once, so that tokens
 * need no names.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/image.h"
#include "core/memory/memory.h"
#include "pipeline/engine/stages.h"

static const char *name_of(const struct trm_parameter *parameter)
{
    return parameter->name != NULL ? parameter->name : "";
}

static int32_t check_port_index(const struct pipeline_stage_subject *subject, uint32_t index, uint64_t port)
{
    const struct pipeline *pipeline = subject->pipeline;

    if (port < pipeline->desc.port_count)
        return TRM_OK;
    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "argument %" PRIu32 " \"%s\" of kernel \"%s\" is port %" PRIu64
                     ", but the pipeline has %" PRIu32,
                     index, name_of(&subject->kernel->parameters[index]), subject->kernel->name, port,
                     pipeline->desc.port_count);
}

static int32_t check_port(const struct pipeline_stage_subject *subject, uint32_t index,
                          const struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];
    uint64_t number                       = argument->value.port.index;
    const struct trm_port *ports          = subject->pipeline->ports;
    char text[PIPELINE_LABEL_BYTES];

    int32_t status = check_port_index(subject, index, number);
    if (status != TRM_OK)
        return status;
    bool is_address = parameter->kind == TRM_PARAMETER_BYTES && parameter->size == sizeof(uint64_t);
    if (parameter->kind != TRM_PARAMETER_BUFFER && !is_address)
        return base_fail(TRM_ERROR_TYPE_MISMATCH,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" is not a buffer, but %s was given",
                         index, name_of(parameter), subject->kernel->name,
                         pipeline_port_label(ports, number, text));
    if (!is_address && ports[number].size < parameter->size)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" takes at least %" PRIu32
                         " bytes, but %s has %" PRIu64,
                         index, name_of(parameter), subject->kernel->name, parameter->size,
                         pipeline_port_label(ports, number, text), ports[number].size);
    uint32_t access = parameter->access != 0 ? parameter->access : TRM_ACCESS_READ | TRM_ACCESS_WRITE;
    if (access & TRM_ACCESS_READ)
        subject->plan->reads |= PIPELINE_BIT(number);
    if ((access & TRM_ACCESS_WRITE) && !(ports[number].flags & TRM_PORT_READ_ONLY))
        subject->plan->writes |= PIPELINE_BIT(number);
    return TRM_OK;
}

int32_t pipeline_stage_elements_type(const struct trm_parameter *parameter)
{
    if (parameter->kind == TRM_PARAMETER_SCALAR)
        return parameter->type;
    if (parameter->kind == TRM_PARAMETER_BYTES && parameter->size == sizeof(uint32_t))
        return TRM_TYPE_U32;
    return parameter->kind == TRM_PARAMETER_BYTES && parameter->size == sizeof(uint64_t) ? TRM_TYPE_U64
                                                                                         : TRM_TYPE_NONE;
}

/* The largest value of an integer type that can take a number of elements; 0: the type cannot. */
static uint64_t most_of(int32_t type)
{
    switch (type) {
    case TRM_TYPE_U32:
        return UINT32_MAX;
    case TRM_TYPE_I32:
        return INT32_MAX;
    case TRM_TYPE_U64:
        return UINT64_MAX;
    case TRM_TYPE_I64:
        return INT64_MAX;
    default:
        return 0;
    }
}

static int32_t check_elements(const struct pipeline_stage_subject *subject, uint32_t index,
                              const struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];
    uint64_t number = argument->value.port.index, bytes = argument->value.port.element_bytes;
    const struct trm_port *ports = subject->pipeline->ports;
    char text[PIPELINE_LABEL_BYTES];

    int32_t status = check_port_index(subject, index, number);
    if (status != TRM_OK)
        return status;
    pipeline_port_label(ports, number, text);
    uint64_t most = most_of(pipeline_stage_elements_type(parameter));
    if (most == 0)
        return base_fail(TRM_ERROR_TYPE_MISMATCH,
                         "argument %" PRIu32
                         " \"%s\" of kernel \"%s\" is not an integer of 32 or 64 bits, but the "
                         "elements of %s were given",
                         index, name_of(parameter), subject->kernel->name, text);
    if (bytes == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" counts elements of 0 bytes in %s",
                         index, name_of(parameter), subject->kernel->name, text);
    uint64_t count = ports[number].size / bytes + (ports[number].size % bytes != 0);
    if (count > most)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" is %s, which cannot count the %" PRIu64
                         " elements of %s",
                         index, name_of(parameter), subject->kernel->name,
                         trm_type_name(pipeline_stage_elements_type(parameter)), count, text);
    return TRM_OK;
}

/* The pipeline holds a buffer that is an argument. */
static int32_t hold_span(const struct pipeline_stage_subject *subject, struct trm_argument *argument)
{
    struct trm_span *span = &argument->value.span;
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = pipeline_holds_add(subject->pipeline, CORE_BUFFER, span->buffer, &span->buffer);
    if (status != TRM_OK)
        return status;
    status = core_span_resolve(argument->value.span, &buffer, &length);
    return status == TRM_OK ? core_buffer_check_device(buffer, subject->pipeline->device) : status;
}

/* The same for an image and a sampler. Whether they fit the kernel is checked once, as a launch checks it. */
static int32_t hold_image(const struct pipeline_stage_subject *subject, uint32_t index,
                          struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];
    struct core_in_flight *sets[CORE_IMAGE_SETS];
    struct trm_launch_argument described;
    struct trm_launch_image objects;
    int32_t status = TRM_OK;

    if (argument->kind != TRM_PARAMETER_SAMPLER)
        status = pipeline_holds_add(subject->pipeline, CORE_IMAGE, argument->value.image.image,
                                    &argument->value.image.image);
    if (status == TRM_OK &&
        (argument->kind == TRM_PARAMETER_SAMPLER || argument->kind == TRM_PARAMETER_SAMPLED_IMAGE))
        status = pipeline_holds_add(subject->pipeline, CORE_SAMPLER, argument->value.image.sampler,
                                    &argument->value.image.sampler);
    if (status == TRM_OK)
        status =
            core_image_argument(subject->pipeline->device, parameter, argument, &described, &objects, sets);
    if (argument->kind == TRM_PARAMETER_IMAGE &&
        (parameter->access == 0 || (parameter->access & TRM_ACCESS_WRITE)))
        subject->plan->writes_image = true;
    if (status == TRM_OK)
        return TRM_OK;
    return base_fail(status, "argument %" PRIu32 " \"%s\" of kernel \"%s\": %s", index, name_of(parameter),
                     subject->kernel->name, trm_last_error().sentence);
}

static int32_t check_argument(const struct pipeline_stage_subject *subject, uint32_t index,
                              struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];

    if (argument->kind == TRM_ARGUMENT_PORT)
        return check_port(subject, index, argument);
    if (argument->kind == TRM_ARGUMENT_PORT_ELEMENTS)
        return check_elements(subject, index, argument);
    if (!core_launch_takes(parameter, argument))
        return core_launch_fail_argument(subject->kernel, index, argument);
    if (argument->kind == TRM_PARAMETER_BUFFER || argument->kind == TRM_PARAMETER_TEXELS)
        return hold_span(subject, argument);
    if (core_argument_is_image(argument))
        return hold_image(subject, index, argument);
    if (argument->kind == TRM_PARAMETER_BLOCK && argument->value.block.data == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "argument %" PRIu32 " \"%s\" of kernel \"%s\" is NULL",
                         index, name_of(parameter), subject->kernel->name);
    return TRM_OK;
}

/* Only the value is left, with zeroed padding, so that arguments can be compared; a block gets a copy of its
 * own. */
static int32_t clean_argument(const struct pipeline_stage_subject *subject, struct trm_argument *argument)
{
    struct trm_argument clean;

    memset(&clean, 0, sizeof(clean));
    clean.kind = argument->kind;
    if (clean.kind == TRM_PARAMETER_SCALAR || clean.kind == TRM_PARAMETER_TEXELS)
        clean.type = argument->type;
    if (clean.kind == TRM_PARAMETER_SCALAR) {
        memcpy(&clean.value, &argument->value, trm_type_size(clean.type));
    } else if (clean.kind == TRM_PARAMETER_BUFFER || clean.kind == TRM_PARAMETER_TEXELS) {
        clean.value.span = argument->value.span;
    } else if (core_argument_is_image(argument)) {
        clean.value.image.image   = argument->value.image.image;
        clean.value.image.sampler = argument->value.image.sampler;
        clean.value.image.level   = argument->value.image.level;
    } else if (clean.kind == TRM_PARAMETER_BLOCK) {
        void *copy = core_allocate(subject->pipeline->object.context, argument->value.block.size);
        if (copy == NULL)
            return base_fail_memory("making a pipeline");
        clean.value.block.size = argument->value.block.size;
        clean.value.block.data = memcpy(copy, argument->value.block.data, argument->value.block.size);
    } else {
        clean.value.port = argument->value.port;
    }
    *argument = clean;
    return TRM_OK;
}

/* The position of each declared argument among the kernel's parameters. */
static void find_order(const struct pipeline_stage_subject *subject)
{
    for (uint32_t i = 0; i < subject->plan->argument_count; i++) {
        const char *name        = subject->declared->arguments[i].name;
        subject->plan->order[i] = i;
        for (uint32_t position = 0; name != NULL && position < subject->kernel->parameter_count; position++)
            if (strcmp(name_of(&subject->kernel->parameters[position]), name) == 0)
                subject->plan->order[i] = position;
    }
}

static int32_t check_count(const struct pipeline_stage_subject *subject)
{
    uint32_t count = subject->declared->argument_count;

    if (count == subject->kernel->parameter_count)
        return TRM_OK;
    return core_launch_fail_count(subject->kernel, subject->declared->arguments, count);
}

/* An argument that has not been copied is marked, so that the pipeline does not free it. */
static int32_t own_arguments(const struct pipeline_stage_subject *subject)
{
    struct pipeline_stage_plan *plan = subject->plan;
    int32_t status                   = TRM_OK;

    for (uint32_t i = 0; i < plan->argument_count; i++) {
        if (status == TRM_OK)
            status = check_argument(subject, i, &plan->arguments[i]);
        if (status == TRM_OK)
            status = clean_argument(subject, &plan->arguments[i]);
        if (status != TRM_OK)
            plan->arguments[i].kind = 0;
    }
    return status;
}

int32_t pipeline_stage_arguments(const struct pipeline_stage_subject *subject)
{
    struct core_context *context     = subject->pipeline->object.context;
    struct pipeline_stage_plan *plan = subject->plan;
    uint32_t count                   = subject->kernel->parameter_count;

    int32_t status = check_count(subject);
    if (status != TRM_OK || count == 0)
        return status;
    plan->arguments = core_allocate(context, count * sizeof(*plan->arguments));
    plan->order     = core_allocate(context, count * sizeof(*plan->order));
    if (plan->arguments == NULL || plan->order == NULL) {
        core_free(context, plan->arguments, count * sizeof(*plan->arguments));
        core_free(context, plan->order, count * sizeof(*plan->order));
        plan->arguments = NULL;
        plan->order     = NULL;
        return base_fail_memory("making a pipeline");
    }
    plan->argument_count = count;
    status = core_launch_arrange(subject->kernel, subject->declared->arguments, count, plan->arguments);
    if (status != TRM_OK) {
        memset(plan->arguments, 0, count * sizeof(*plan->arguments));
        return status;
    }
    find_order(subject);
    return own_arguments(subject);
}

void pipeline_stage_arguments_fini(struct core_context *context, struct pipeline_stage_plan *plan)
{
    for (uint32_t i = 0; i < plan->argument_count; i++) {
        const struct trm_argument *argument = &plan->arguments[i];
        if (argument->kind == TRM_PARAMETER_BLOCK)
            core_free(context, (void *)argument->value.block.data, argument->value.block.size);
    }
    core_free(context, plan->arguments, plan->argument_count * sizeof(*plan->arguments));
    core_free(context, plan->order, plan->argument_count * sizeof(*plan->order));
}
