/* Checks a descriptor. stages.c checks what needs the kernels (arguments) when it resolves them.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <trireme/collective.h>

#include "pipeline/engine/engine_internal.h"

#define KNOWN_PORT_FLAGS ((uint32_t)(TRM_PORT_READ_ONLY | TRM_PORT_IMAGE))

#define KNOWN_FLAGS ((uint32_t)(TRM_PIPELINE_UNORDERED | TRM_PIPELINE_DIVISIBLE))

static const char *label(const char *what, uint64_t index, const char *name, char text[PIPELINE_LABEL_BYTES])
{
    if (name == NULL)
        snprintf(text, PIPELINE_LABEL_BYTES, "%s %" PRIu64, what, index);
    else
        snprintf(text, PIPELINE_LABEL_BYTES, "%s %" PRIu64 " \"%.60s\"", what, index, name);
    return text;
}

const char *pipeline_port_label(const struct trm_port *ports, uint64_t index, char text[PIPELINE_LABEL_BYTES])
{
    return label("port", index, ports[index].name, text);
}

const char *pipeline_stage_label(const struct trm_stage *stages, uint32_t index,
                                 char text[PIPELINE_LABEL_BYTES])
{
    return label("stage", index, stages[index].name, text);
}

int32_t pipeline_fail_elements(const struct trm_port *ports, uint64_t index, uint64_t length, uint64_t bytes)
{
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "%s has %" PRIu64 " bytes, which is no whole number of elements of %" PRIu64 " bytes",
                     pipeline_port_label(ports, index, text), length, bytes);
}

/* ---- ports ---------------------------------------------------------------------------------- */

static int32_t fail_port(const struct trm_pipeline_desc *desc, uint32_t index, const char *what)
{
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s %s", pipeline_port_label(desc->ports, index, text),
                     what);
}

static int32_t check_shared(const struct trm_pipeline_desc *desc, uint32_t index)
{
    const struct trm_port *port = &desc->ports[index];

    if (port->flags & TRM_PORT_IMAGE) {
        if (port->image == NULL)
            return fail_port(desc, index, "is a shared image, but has no image");
    } else if (port->buffer == NULL) {
        return fail_port(desc, index, "is shared, but has no buffer");
    }
    if (port->follows != 0)
        return fail_port(desc, index, "is shared, so it cannot follow an input");
    return TRM_OK;
}

static int32_t check_follows(const struct trm_pipeline_desc *desc, uint32_t index)
{
    const struct trm_port *port = &desc->ports[index];

    if (port->follows == 0)
        return TRM_OK;
    if (port->kind == TRM_PORT_INPUT)
        return fail_port(desc, index,
                         "is an input, which is as full as its source makes it, and cannot follow");
    if (port->follows > desc->port_count || desc->ports[port->follows - 1].kind != TRM_PORT_INPUT)
        return fail_port(desc, index, "follows a port that is not an input (`follows` is 1 + its index)");
    return TRM_OK;
}

static int32_t check_grain(const struct trm_pipeline_desc *desc, uint32_t index)
{
    const struct trm_port *port = &desc->ports[index];
    char text[PIPELINE_LABEL_BYTES], other[PIPELINE_LABEL_BYTES];

    if (!(desc->flags & TRM_PIPELINE_DIVISIBLE) || port->kind == TRM_PORT_SHARED)
        return TRM_OK;
    if (port->grain == 0)
        return fail_port(desc, index, "has no grain, which a divisible pipeline needs");
    if (port->size % port->grain != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s has %" PRIu64 " bytes, not a multiple of its grain of %" PRIu64,
                         pipeline_port_label(desc->ports, index, text), port->size, port->grain);
    for (uint32_t i = 0; i < index; i++) {
        const struct trm_port *before = &desc->ports[i];
        if (before->kind == TRM_PORT_SHARED || before->size / before->grain == port->size / port->grain)
            continue;
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s has %" PRIu64 " grains and %s has %" PRIu64
                         "; a divisible pipeline has as many in every port",
                         pipeline_port_label(desc->ports, i, other), before->size / before->grain,
                         pipeline_port_label(desc->ports, index, text), port->size / port->grain);
    }
    return TRM_OK;
}

/* The description itself is checked when it is copied. */
static int32_t check_image(const struct trm_pipeline_desc *desc, uint32_t index)
{
    if (desc->ports[index].image_desc == NULL)
        return fail_port(desc, index, "is an image, but has no description");
    if (desc->ports[index].follows != 0)
        return fail_port(desc, index,
                         "is an image, which has one size for all tokens, so it cannot follow an input");
    if (desc->flags & TRM_PIPELINE_DIVISIBLE)
        return fail_port(desc, index, "is an image, which a divisible pipeline cannot have");
    return TRM_OK;
}

static int32_t check_port(const struct core_device *device, const struct trm_pipeline_desc *desc,
                          uint32_t index)
{
    const struct trm_port *port = &desc->ports[index];
    char text[PIPELINE_LABEL_BYTES];

    if (port->kind < TRM_PORT_INPUT || port->kind > TRM_PORT_SHARED)
        return fail_port(desc, index, "is neither an input nor an output, scratch or shared");
    if (port->flags & ~KNOWN_PORT_FLAGS)
        return fail_port(desc, index, "has unknown flags");
    if (port->kind == TRM_PORT_SHARED)
        return check_shared(desc, index);
    if (port->flags & TRM_PORT_READ_ONLY)
        return fail_port(desc, index, "is not shared, so it cannot be read-only");
    if (port->flags & TRM_PORT_IMAGE)
        return check_image(desc, index);
    if (port->buffer != NULL)
        return fail_port(desc, index, "has a buffer, which only shared ports do");
    if (port->size == 0)
        return fail_port(desc, index, "has no bytes");
    if (port->size > device->limits.max_buffer_bytes)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%s has %" PRIu64 " bytes; device %s has at most %" PRIu64 " bytes a buffer",
                         pipeline_port_label(desc->ports, index, text), port->size, device->id,
                         device->limits.max_buffer_bytes);
    int32_t status = check_follows(desc, index);
    return status == TRM_OK ? check_grain(desc, index) : status;
}

/* ---- stages --------------------------------------------------------------------------------- */

static int32_t fail_stage(const struct trm_pipeline_desc *desc, uint32_t index, const char *what)
{
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s %s", pipeline_stage_label(desc->stages, index, text),
                     what);
}

static int32_t fail_port_number(const struct trm_pipeline_desc *desc, uint32_t index, const char *what,
                                uint32_t port)
{
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "%s %s port %" PRIu32 ", but the pipeline has %" PRIu32 " ports",
                     pipeline_stage_label(desc->stages, index, text), what, port, desc->port_count);
}

static int32_t check_host(const struct trm_pipeline_desc *desc, uint32_t index)
{
    const struct trm_stage *stage = &desc->stages[index];
    uint64_t named                = stage->host_reads | stage->host_writes;

    if (stage->kernel != NULL || stage->argument_count != 0 || stage->shape != NULL)
        return fail_stage(desc, index, "is a host stage and has a kernel, arguments or a shape besides");
    if (desc->flags & TRM_PIPELINE_DIVISIBLE)
        return fail_stage(desc, index, "is a host stage, which a divisible pipeline cannot have");
    if (desc->port_count < PIPELINE_PORTS_MOST && named >> desc->port_count != 0)
        return fail_port_number(desc, index, "reads or writes",
                                desc->port_count + (uint32_t)__builtin_ctzll(named >> desc->port_count));
    for (uint32_t i = 0; i < desc->port_count; i++)
        if (desc->ports[i].kind == TRM_PORT_SHARED && (named & PIPELINE_BIT(i)))
            return fail_stage(desc, index,
                              "is a host stage and names a shared port, which it can reach by itself");
    return TRM_OK;
}

static int32_t check_launch(const struct trm_pipeline_desc *desc, uint32_t index)
{
    const struct trm_stage *stage = &desc->stages[index];
    const struct trm_grid *grid   = &stage->grid;
    uint32_t groups               = grid->groups[0] | grid->groups[1] | grid->groups[2];

    if (stage->kernel == NULL)
        return fail_stage(desc, index, "has neither a kernel nor a host function");
    if (stage->host_reads != 0 || stage->host_writes != 0)
        return fail_stage(desc, index, "is a launch, whose ports come from its arguments alone");
    if (stage->argument_count != 0 && stage->arguments == NULL)
        return fail_stage(desc, index, "has an argument count, but no arguments");
    if (stage->shape != NULL)
        return TRM_OK;
    if (stage->items_bytes != 0 && stage->items_port >= desc->port_count)
        return fail_port_number(desc, index, "has its work-items from", stage->items_port);
    if (stage->items_bytes == 0 && groups == 0)
        return fail_stage(desc, index, "has no grid: a shape, items or groups");
    if (stage->items_bytes == 0 && (desc->flags & TRM_PIPELINE_DIVISIBLE))
        return fail_stage(desc, index, "has a grid that does not go with the pieces of a divisible pipeline");
    return TRM_OK;
}

/* ---- the whole descriptor ------------------------------------------------------------------- */

static int32_t check_choices(const struct trm_pipeline_desc *desc)
{
    if (desc->flags & ~KNOWN_FLAGS)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the pipeline's flags 0x%" PRIx32 " are not known",
                         desc->flags);
    if (desc->depth > PIPELINE_DEPTH_MOST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pipeline has at most %d slots, not %" PRIu32,
                         PIPELINE_DEPTH_MOST, desc->depth);
    if (desc->strategy < TRM_STRATEGY_AUTO || desc->strategy > TRM_STRATEGY_RESIDENT)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a strategy", desc->strategy);
    if (desc->on_failure < TRM_FAILURE_STOP || desc->on_failure > TRM_FAILURE_SKIP)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a failure mode", desc->on_failure);
    if (desc->on_full < TRM_FULL_BLOCK || desc->on_full > TRM_FULL_LATEST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a mode of full pipelines",
                         desc->on_full);
    if (desc->on_full == TRM_FULL_LATEST && (desc->flags & TRM_PIPELINE_UNORDERED))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the latest result is the last in order, but the pipeline is UNORDERED");
    if (desc->measure < TRM_MEASURE_SAMPLED || desc->measure > TRM_MEASURE_NONE)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a way to measure", desc->measure);
    if (desc->measure == TRM_MEASURE_NONE && desc->trace_tokens != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pipeline that measures nothing has nothing to trace");
    if (desc->piece_bytes != 0 && !(desc->flags & TRM_PIPELINE_DIVISIBLE))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "piece_bytes is for divisible pipelines, and this one is not");
    return TRM_OK;
}

/* ---- joins ---------------------------------------------------------------------------------- */

static int32_t check_join(const struct trm_pipeline_desc *desc, uint32_t index)
{
    const struct trm_join *join = &desc->joins[index];

    if (join->port >= desc->port_count)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "join %" PRIu32 " names port %" PRIu32 ", but the pipeline has %" PRIu32 " ports",
                         index, join->port, desc->port_count);
    const struct trm_port *port = &desc->ports[join->port];
    if (port->kind != TRM_PORT_SHARED || (port->flags & (TRM_PORT_IMAGE | TRM_PORT_READ_ONLY)) != 0)
        return fail_port(desc, join->port, "is joined, which only shared buffers that kernels write are");
    if (join->operation < TRM_REDUCE_SUM || join->operation > TRM_REDUCE_AVERAGE)
        return fail_port(desc, join->port, "is joined by an unknown operation");
    if (join->tokens == 0)
        return fail_port(desc, join->port, "is joined after 0 tokens; set `tokens` to 1 or more");
    for (uint32_t i = 0; i < index; i++)
        if (desc->joins[i].port == join->port)
            return fail_port(desc, join->port, "is joined twice");
    return TRM_OK;
}

static int32_t check_joins(const struct trm_pipeline_desc *desc)
{
    int32_t status = TRM_OK;

    if (desc->join_count != 0 && desc->joins == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the pipeline's joins are NULL");
    for (uint32_t i = 0; status == TRM_OK && i < desc->join_count; i++)
        status = check_join(desc, i);
    return status;
}

/* ---- the whole, and its parts --------------------------------------------------------------- */

int32_t pipeline_desc_counts_check(const struct trm_pipeline_desc *desc)
{
    if (desc->port_count == 0 || desc->ports == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pipeline needs ports");
    if (desc->port_count > PIPELINE_PORTS_MOST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pipeline has at most %d ports, not %" PRIu32,
                         PIPELINE_PORTS_MOST, desc->port_count);
    if (desc->stage_count > PIPELINE_STAGES_MOST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pipeline has at most %d stages, not %" PRIu32,
                         PIPELINE_STAGES_MOST, desc->stage_count);
    if (desc->stage_count != 0 && desc->stages == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the pipeline's stages are NULL");
    return TRM_OK;
}

int32_t pipeline_desc_check(const struct core_device *device, const struct trm_pipeline_desc *desc)
{
    int32_t status = check_choices(desc);

    if (status == TRM_OK)
        status = pipeline_desc_counts_check(desc);
    for (uint32_t i = 0; status == TRM_OK && i < desc->port_count; i++)
        status = check_port(device, desc, i);
    for (uint32_t i = 0; status == TRM_OK && i < desc->stage_count; i++)
        status = desc->stages[i].host != NULL ? check_host(desc, i) : check_launch(desc, i);
    if (status == TRM_OK)
        status = check_joins(desc);
    return status == TRM_OK ? pipeline_branches_check(desc) : status;
}
