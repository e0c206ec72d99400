/* Sizes, arguments and grids of a token, and of one of its pieces.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/image.h"
#include "pipeline/engine/away.h"
#include "pipeline/engine/port_image.h"
#include "pipeline/engine/spread.h"
#include "pipeline/engine/stages.h"

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* value × part / whole, rounded down; part is at most whole. */
static uint64_t in_proportion(uint64_t value, uint64_t part, uint64_t whole)
{
    if (part == whole)
        return value;
    return (uint64_t)((unsigned __int128)value * part / whole);
}

int32_t pipeline_token_complete(struct pipeline_slot *slot)
{
    const struct pipeline *pipeline = slot->pipeline;
    uint64_t *size                  = slot->token.size;
    char text[PIPELINE_LABEL_BYTES];

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        const struct trm_port *port = &pipeline->ports[i];
        if (port->kind == TRM_PORT_SHARED)
            size[i] = port->size;
        if (pipeline_port_is_image(pipeline->engine, i) && size[i] != port->size && size[i] != 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "load: the token has %" PRIu64 " bytes in %s, an image of %" PRIu64
                             ", of which a token has all or none",
                             size[i], pipeline_port_label(pipeline->ports, i, text), port->size);
        if (port->follows != 0 || size[i] <= port->size)
            continue;
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "load: the token has %" PRIu64 " bytes in %s, which holds %" PRIu64, size[i],
                         pipeline_port_label(pipeline->ports, i, text), port->size);
    }
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        const struct trm_port *port = &pipeline->ports[i];
        if (port->follows != 0)
            size[i] =
                in_proportion(port->size, size[port->follows - 1], pipeline->ports[port->follows - 1].size);
    }
    return TRM_OK;
}

/* ---- one piece ------------------------------------------------------------------------------ */

/* Of a piece, or of a part of a token that is spread; 0: the token is whole. */
static uint64_t grains_of_piece(const struct pipeline_slot *slot)
{
    const struct pipeline_pieces *pieces = &slot->pipeline->engine->pieces;
    const struct pipeline_spread *spread = slot->device->spread;

    if (spread != NULL && spread->grains != 0)
        return spread->grains;
    return pieces->count != 1 ? pieces->grains : 0;
}

static void cut_port(struct pipeline_slot *slot, uint32_t port, uint32_t piece)
{
    const struct pipeline *pipeline       = slot->pipeline;
    struct pipeline_port_memory *location = &slot->device->port_memory[port];
    uint64_t size                         = slot->token.size[port];

    location->offset = 0;
    location->length = size;
    uint64_t grains  = grains_of_piece(slot);
    if (grains == 0 || pipeline->ports[port].kind == TRM_PORT_SHARED)
        return;
    uint64_t each    = grains * pipeline->ports[port].grain;
    location->offset = each * piece;
    if (location->offset > size)
        location->offset = size;
    location->length = size - location->offset < each ? size - location->offset : each;
}

static int32_t set_elements(const struct pipeline_slot *slot, const struct trm_argument *declared,
                            const struct trm_parameter *parameter, struct trm_argument *argument)
{
    uint64_t port = declared->value.port.index, bytes = declared->value.port.element_bytes;
    uint64_t length = slot->device->port_memory[port].length, count = length / bytes;

    if (length % bytes != 0)
        return pipeline_fail_elements(slot->pipeline->ports, port, length, bytes);
    argument->kind      = TRM_PARAMETER_SCALAR;
    argument->type      = pipeline_stage_elements_type(parameter);
    argument->value.u64 = 0;
    if (argument->type == TRM_TYPE_U32 || argument->type == TRM_TYPE_I32)
        argument->value.u32 = (uint32_t)count;
    else
        argument->value.u64 = count;
    return TRM_OK;
}

static void set_port(const struct pipeline_slot *slot, const struct pipeline_stage_plan *plan,
                     const struct trm_argument *declared, struct trm_argument *argument)
{
    const struct pipeline_port_memory *location = &slot->device->port_memory[declared->value.port.index];
    struct trm_buffer *mirror = pipeline_away_mirror(slot, plan, declared->value.port.index);

    argument->kind = declared->type != TRM_FORMAT_NONE ? TRM_PARAMETER_TEXELS : TRM_PARAMETER_BUFFER;
    argument->type = declared->type;
    argument->value.span.length = location->length;
    argument->value.span.buffer = mirror != NULL ? mirror : location->device;
    argument->value.span.offset =
        mirror != NULL ? 0
                       : location->device_offset +
                             (location->is_whole_on_device && location->length != 0 ? location->offset : 0);
}

static void set_port_image(const struct pipeline_slot *slot, const struct trm_argument *declared,
                           const struct trm_parameter *parameter, struct trm_argument *argument)
{
    uint32_t port = (uint32_t)declared->value.port_image.index;

    argument->kind                = parameter->kind;
    argument->value.image.image   = pipeline_port_image(slot, port);
    argument->value.image.sampler = declared->value.port_image.sampler;
    argument->value.image.level   = declared->value.port_image.level;
}

/* is_shaped: a shape function may have changed arguments that would otherwise stay the same. */
static int32_t set_arguments(const struct pipeline_slot *slot, const struct pipeline_stage_plan *plan,
                             bool is_shaped, struct trm_argument *arguments)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < plan->argument_count && status == TRM_OK; i++) {
        const struct trm_argument *declared = &plan->arguments[i];
        if (declared->kind == TRM_ARGUMENT_PORT)
            set_port(slot, plan, declared, &arguments[i]);
        else if (declared->kind == TRM_ARGUMENT_PORT_IMAGE)
            set_port_image(slot, declared, &plan->parameters[i], &arguments[i]);
        else if (declared->kind == TRM_ARGUMENT_PORT_ELEMENTS)
            status = set_elements(slot, declared, &plan->parameters[i], &arguments[i]);
        else if (is_shaped)
            arguments[i] = *declared;
    }
    return status;
}

/* As many groups of the kernel's size in x as the items need. */
static int32_t set_grid(const struct pipeline_slot *slot, uint32_t stage, struct trm_grid *grid)
{
    const struct trm_stage *given          = &slot->pipeline->stages[stage];
    const struct pipeline_stage_plan *plan = &slot->pipeline->engine->plans[stage];
    char text[PIPELINE_LABEL_BYTES];

    *grid = given->grid;
    if (given->items_bytes == 0)
        return TRM_OK;
    uint64_t items  = divide_up(slot->device->port_memory[given->items_port].length, given->items_bytes);
    uint64_t groups = divide_up(items, plan->group_size);
    if (groups > UINT32_MAX)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%" PRIu64 " work-items for %s are more groups than 32 bits can count", items,
                         pipeline_port_label(slot->pipeline->ports, given->items_port, text));
    uint32_t shared    = given->grid.shared_bytes;
    *grid              = trm_grid_1d((uint32_t)groups, 0);
    grid->shared_bytes = shared;
    return TRM_OK;
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* The token as a shape function sees it: only the current piece. */
static const struct trm_token *view_piece(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    if (own->pieces == 1)
        return &slot->token;
    own->view.index      = slot->token.index;
    own->view.slot       = slot->token.slot;
    own->view.port_count = slot->token.port_count;
    own->view.user       = slot->token.user;
    for (uint32_t i = 0; i < slot->token.port_count; i++) {
        unsigned char *data = slot->token.data[i];
        own->view.data[i]   = data != NULL ? data + own->port_memory[i].offset : NULL;
        own->view.size[i]   = own->port_memory[i].length;
    }
    return &own->view;
}

/* A shape function may change the values of scalars and blocks, but not buffers. */
static void apply_values(const struct pipeline_stage_plan *plan, const struct trm_argument *shaped,
                         struct trm_argument *arguments)
{
    for (uint32_t i = 0; i < plan->argument_count; i++) {
        struct trm_argument *argument = &arguments[plan->order[i]];
        if (argument->kind == TRM_PARAMETER_SCALAR)
            memcpy(&argument->value, &shaped[i].value, trm_type_size(argument->type));
        else if (argument->kind == TRM_PARAMETER_BLOCK)
            argument->value.block.data = shaped[i].value.block.data;
    }
}

/* Puts the program's handles in place of those of the holds. */
static void show_given(const struct pipeline *pipeline, struct trm_argument *argument)
{
    struct trm_span *span = &argument->value.span;

    if (argument->kind == TRM_PARAMETER_BUFFER || argument->kind == TRM_PARAMETER_TEXELS) {
        span->buffer = pipeline_holds_given(pipeline, span->buffer);
    } else if (argument->kind == TRM_ARGUMENT_ARRAY) {
        argument->value.array.elements = NULL; /* they have handles of the holds */
    } else if (core_argument_is_image(argument)) {
        argument->value.image.image   = pipeline_holds_given(pipeline, argument->value.image.image);
        argument->value.image.sampler = pipeline_holds_given(pipeline, argument->value.image.sampler);
    }
}

static int32_t apply_shape(struct pipeline_slot *slot, uint32_t stage)
{
    const struct trm_stage *given          = &slot->pipeline->stages[stage];
    const struct pipeline_stage_plan *plan = &slot->pipeline->engine->plans[stage];
    struct pipeline_slot_device *own       = slot->device;
    struct pipeline_host_calling inside;

    for (uint32_t i = 0; i < plan->argument_count; i++) {
        own->declared[i] = own->arguments[stage][plan->order[i]];
        show_given(slot->pipeline, &own->declared[i]);
    }
    base_error_clear();
    pipeline_host_calling_push(&inside, slot->pipeline);
    int32_t status = given->shape(given->user, view_piece(slot), &own->grids[stage], own->declared);
    pipeline_host_calling_pop(&inside);
    if (status > 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the stage's shape function returned %" PRId32 ", which is not a status", status);
    if (status != TRM_OK)
        return base_fail_program(status);
    apply_values(plan, own->declared, own->arguments[stage]);
    return TRM_OK;
}

int32_t pipeline_piece_set(struct pipeline_slot *slot, uint32_t piece)
{
    const struct pipeline *pipeline  = slot->pipeline;
    struct pipeline_slot_device *own = slot->device;

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        cut_port(slot, i, piece);
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &pipeline->engine->plans[i];
        if (plan->kernel == NULL)
            continue;
        int32_t status = set_arguments(slot, plan, pipeline->stages[i].shape != NULL, own->arguments[i]);
        if (status == TRM_OK)
            status = set_grid(slot, i, &own->grids[i]);
        if (status == TRM_OK && pipeline->stages[i].shape != NULL)
            status = apply_shape(slot, i);
        if (status != TRM_OK)
            return pipeline_fail_compute(status, plan->name);
    }
    return TRM_OK;
}
