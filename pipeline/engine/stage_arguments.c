/* Arguments of a stage, checked against the kernel's parameters and put in their order once, so that tokens
 * need no names.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/image.h"
#include "core/memory/memory.h"
#include "pipeline/engine/away.h"
#include "pipeline/engine/port_image.h"
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

/* Puts the argument's place before the last error's sentence. */
static int32_t fail_argument(const struct pipeline_stage_subject *subject, uint32_t index, int32_t status)
{
    return base_fail(status, "argument %" PRIu32 " \"%s\" of kernel \"%s\": %s", index,
                     name_of(&subject->kernel->parameters[index]), subject->kernel->name,
                     trm_last_error().sentence);
}

static int32_t fail_port_kind(const struct pipeline_stage_subject *subject, uint32_t index, uint64_t port,
                              const char *what)
{
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_TYPE_MISMATCH,
                     "argument %" PRIu32 " \"%s\" of kernel \"%s\" is not %s, but %s was given", index,
                     name_of(&subject->kernel->parameters[index]), subject->kernel->name, what,
                     pipeline_port_label(subject->pipeline->ports, port, text));
}

static int32_t check_image(const struct pipeline_stage_subject *subject, uint32_t index,
                           struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];
    struct pipeline *pipeline             = subject->pipeline;
    uint64_t port                         = argument->value.port_image.index;
    char text[PIPELINE_LABEL_BYTES];

    if (!pipeline_port_is_image(pipeline->engine, port))
        return base_fail(TRM_ERROR_TYPE_MISMATCH,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" names an image, but %s is a buffer",
                         index, name_of(parameter), subject->kernel->name,
                         pipeline_port_label(pipeline->ports, port, text));
    if (parameter->kind != TRM_PARAMETER_IMAGE && parameter->kind != TRM_PARAMETER_TEXTURE &&
        parameter->kind != TRM_PARAMETER_SAMPLED_IMAGE)
        return fail_port_kind(subject, index, port, "an image");
    int32_t status = pipeline_port_image_check(pipeline, parameter, argument);
    return status == TRM_OK ? TRM_OK : fail_argument(subject, index, status);
}

static int32_t check_texels(const struct pipeline_stage_subject *subject, uint32_t index,
                            const struct trm_argument *argument)
{
    uint64_t number                      = argument->value.port.index;
    struct trm_argument given            = {.kind = TRM_PARAMETER_TEXELS, .type = argument->type};
    struct trm_launch_argument described = {.size = subject->pipeline->ports[number].size};

    if (subject->kernel->parameters[index].kind != TRM_PARAMETER_TEXELS)
        return fail_port_kind(subject, index, number, "a texel buffer");
    int32_t status = core_texels_argument(&subject->kernel->parameters[index], &given, &described);
    return status == TRM_OK ? TRM_OK : fail_argument(subject, index, status);
}

static int32_t check_span(const struct pipeline_stage_subject *subject, uint32_t index, uint64_t number)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];
    const struct trm_port *ports          = subject->pipeline->ports;
    char text[PIPELINE_LABEL_BYTES];

    bool is_address = parameter->kind == TRM_PARAMETER_BYTES && parameter->size == sizeof(uint64_t);
    if (parameter->kind != TRM_PARAMETER_BUFFER && !is_address)
        return fail_port_kind(subject, index, number, "a buffer");
    if (!is_address && ports[number].size < parameter->size)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" takes at least %" PRIu32
                         " bytes, but %s has %" PRIu64,
                         index, name_of(parameter), subject->kernel->name, parameter->size,
                         pipeline_port_label(ports, number, text), ports[number].size);
    return TRM_OK;
}

static int32_t check_port(const struct pipeline_stage_subject *subject, uint32_t index,
                          struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];
    uint64_t number                       = argument->value.port.index;
    const struct pipeline *pipeline       = subject->pipeline;

    int32_t status = check_port_index(subject, index, number);
    if (status != TRM_OK)
        return status;
    if (argument->kind == TRM_ARGUMENT_PORT_IMAGE || pipeline_port_is_image(pipeline->engine, number))
        status = check_image(subject, index, argument);
    else if (argument->type != TRM_FORMAT_NONE)
        status = check_texels(subject, index, argument);
    else
        status = check_span(subject, index, number);
    if (status != TRM_OK)
        return status;
    uint32_t access = parameter->access != 0 ? parameter->access : TRM_ACCESS_READ | TRM_ACCESS_WRITE;
    if (access & TRM_ACCESS_READ)
        subject->plan->reads |= PIPELINE_BIT(number);
    if ((access & TRM_ACCESS_WRITE) && !(pipeline->ports[number].flags & TRM_PORT_READ_ONLY))
        subject->plan->writes |= PIPELINE_BIT(number);
    if (parameter->access != 0)
        subject->plan->surely_writes |= subject->plan->writes & PIPELINE_BIT(number);
    return subject->plan->away != NULL ? pipeline_away_port(subject, access, argument) : TRM_OK;
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
    if (ports[number].size % bytes != 0)
        return pipeline_fail_elements(ports, number, ports[number].size, bytes);
    uint64_t count = ports[number].size / bytes;
    if (count > most)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "argument %" PRIu32 " \"%s\" of kernel \"%s\" is %s, which cannot count the %" PRIu64
                         " elements of %s",
                         index, name_of(parameter), subject->kernel->name,
                         trm_type_name(pipeline_stage_elements_type(parameter)), count, text);
    return TRM_OK;
}

static bool is_written(const struct trm_parameter *parameter)
{
    return parameter->access == 0 || (parameter->access & TRM_ACCESS_WRITE);
}

/* The pipeline holds a buffer that is an argument. */
static int32_t hold_span(const struct pipeline_stage_subject *subject, uint32_t index,
                         struct trm_argument *argument)
{
    struct trm_span *span = &argument->value.span;
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = pipeline_holds_add(subject->pipeline, CORE_BUFFER, span->buffer, &span->buffer);
    if (status != TRM_OK)
        return status;
    if (argument->kind == TRM_PARAMETER_TEXELS && is_written(&subject->kernel->parameters[index]))
        subject->plan->writes_image = true;
    status = core_span_resolve(argument->value.span, &buffer, &length);
    return status == TRM_OK ? pipeline_check_buffer(pipeline_stage_device(subject->pipeline, subject->plan),
                                                    pipeline_stage_place(subject->plan), buffer)
                            : status;
}

/* The same for an image and a sampler. Whether they fit the kernel is checked once, as a launch checks it. */
static int32_t hold_image(const struct pipeline_stage_subject *subject, const struct trm_parameter *parameter,
                          uint32_t index, struct trm_argument *argument)
{
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
        status = core_image_argument(pipeline_stage_device(subject->pipeline, subject->plan), parameter,
                                     argument, &described, &objects, sets);
    if (argument->kind == TRM_PARAMETER_IMAGE && is_written(parameter))
        subject->plan->writes_image = true;
    return status == TRM_OK ? TRM_OK : fail_argument(subject, index, status);
}

/* ---- arrays ---- */

/* An element of an array: what a launch checks of it. */
static int32_t hold_element(const struct pipeline_stage_subject *subject, uint32_t index,
                            struct trm_argument *element)
{
    struct trm_parameter parameter = subject->kernel->parameters[index];

    parameter.kind = trm_parameter_element(&parameter);
    return core_argument_is_image(element) ? hold_image(subject, &parameter, index, element)
                                           : hold_span(subject, index, element);
}

/* The pipeline has a copy of the array, whose elements it holds. They are constant: none is a port. */
static int32_t own_array(const struct pipeline_stage_subject *subject, uint32_t index,
                         struct trm_argument *argument)
{
    uint64_t count = argument->value.array.count;

    int32_t status = core_launch_check_array(subject->kernel, index, argument);
    if (status != TRM_OK)
        return status;
    struct trm_argument *copy =
        core_allocate(subject->pipeline->object.context, count * sizeof(struct trm_argument));
    if (copy == NULL)
        return base_fail_memory("making a pipeline");
    memcpy(copy, argument->value.array.elements, count * sizeof(struct trm_argument));
    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = hold_element(subject, index, &copy[i]);
    if (status == TRM_OK)
        argument->value.array.elements = copy;
    else
        core_free(subject->pipeline->object.context, copy, count * sizeof(struct trm_argument));
    return status;
}

static int32_t check_argument(const struct pipeline_stage_subject *subject, uint32_t index,
                              struct trm_argument *argument)
{
    const struct trm_parameter *parameter = &subject->kernel->parameters[index];

    if (argument->kind == TRM_ARGUMENT_PORT || argument->kind == TRM_ARGUMENT_PORT_IMAGE)
        return check_port(subject, index, argument);
    if (argument->kind == TRM_ARGUMENT_PORT_ELEMENTS)
        return check_elements(subject, index, argument);
    if (!core_launch_takes(parameter, argument))
        return core_launch_fail_argument(subject->kernel, index, argument);
    if (argument->kind == TRM_ARGUMENT_ARRAY)
        return own_array(subject, index, argument);
    if (argument->kind == TRM_PARAMETER_BUFFER || argument->kind == TRM_PARAMETER_TEXELS)
        return hold_span(subject, index, argument);
    if (core_argument_is_image(argument))
        return hold_image(subject, parameter, index, argument);
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
    if (clean.kind == TRM_PARAMETER_SCALAR || clean.kind == TRM_PARAMETER_TEXELS ||
        clean.kind == TRM_ARGUMENT_PORT)
        clean.type = argument->type;
    if (clean.kind == TRM_PARAMETER_SCALAR) {
        memcpy(&clean.value, &argument->value, trm_type_size(clean.type));
    } else if (clean.kind == TRM_PARAMETER_BUFFER || clean.kind == TRM_PARAMETER_TEXELS) {
        clean.value.span = argument->value.span;
    } else if (clean.kind == TRM_ARGUMENT_ARRAY) {
        clean.value.array.elements = argument->value.array.elements;
        clean.value.array.count    = argument->value.array.count;
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
    } else if (clean.kind == TRM_ARGUMENT_PORT_IMAGE) {
        clean.value.port_image.index   = argument->value.port_image.index;
        clean.value.port_image.sampler = argument->value.port_image.sampler;
        clean.value.port_image.level   = argument->value.port_image.level;
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
        if (argument->kind == TRM_ARGUMENT_ARRAY)
            core_free(context, (void *)argument->value.array.elements,
                      argument->value.array.count * sizeof(struct trm_argument));
    }
    core_free(context, plan->arguments, plan->argument_count * sizeof(*plan->arguments));
    core_free(context, plan->order, plan->argument_count * sizeof(*plan->order));
}
