/* The element types of buffers: a buffer whose scalars all have one type is indexed as an array of it. And
 * which parameter each buffer is.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

/* By id of a type: the only scalar type in it, as it lies in memory; NULL when there are several, or when a
 * scalar lies at no multiple of its size. */
struct units {
    const struct spirv_type **by_type;
};

static bool is_same(const struct spirv_type *a, const struct spirv_type *b)
{
    return a->kind == b->kind && a->width == b->width && a->is_signed == b->is_signed;
}

static uint32_t size_of(const struct spirv_type *scalar)
{
    return scalar->kind == SPIRV_BOOL ? 4 : scalar->width / 8;
}

static void of_struct(struct units *units, const struct spirv_type *type)
{
    const struct spirv_type *found = NULL;

    for (uint32_t i = 0; i < type->count; i++) {
        const struct spirv_member *member = &type->members[i];
        const struct spirv_type *one      = units->by_type[member->type];
        if (one == NULL || (found != NULL && !is_same(one, found)) || member->offset % size_of(one) != 0 ||
            member->matrix_stride % size_of(one) != 0)
            return;
        found = one;
    }
    units->by_type[type->id] = found;
}

static void of_type(struct units *units, const struct spirv_type *type)
{
    const struct spirv_type *element = NULL;

    switch (type->kind) {
    case SPIRV_BOOL:
    case SPIRV_INT:
    case SPIRV_FLOAT:
        units->by_type[type->id] = type;
        break;
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
        units->by_type[type->id] = units->by_type[type->element];
        break;
    case SPIRV_ARRAY:
    case SPIRV_RUNTIME_ARRAY:
        element = units->by_type[type->element];
        if (element != NULL && type->stride % size_of(element) == 0)
            units->by_type[type->id] = element;
        break;
    case SPIRV_STRUCT:
        of_struct(units, type);
        break;
    default:
        break;
    }
}

static bool differ(const struct emit *emit, uint32_t a, uint32_t b)
{
    return emit->units[a] == NULL || emit->units[b] == NULL || !is_same(emit->units[a], emit->units[b]);
}

static void compare_blocks(struct emit *emit)
{
    const struct spirv_module *module = emit->module;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct spirv_variable *variable = module->ids[module->variables[i]].as.variable;
        if (variable->is_shared_block && differ(emit, module->variables[i], variable->view_of))
            emit->is_shared_mixed = true;
    }
}

/* Finds the parameter of each buffer, and the parameters whose views differ in their scalar type. */
static int32_t find_parameters(struct emit *emit)
{
    const struct spirv_reflection *reflection = &emit->reflection;
    uint32_t count                            = reflection->kernels[0].parameter_count;

    emit->buffers  = base_arena_allocate(emit->arena, emit->module->bound, sizeof(*emit->buffers));
    emit->is_mixed = base_arena_allocate(emit->arena, count, sizeof(*emit->is_mixed));
    if (emit->buffers == NULL || emit->is_mixed == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        emit->buffers[reflection->parameter_variables[i]] = i;
    for (uint32_t i = 0; i < reflection->view_count; i++) {
        uint32_t id = reflection->views[i].variable, parameter = reflection->views[i].info.parameter;
        emit->buffers[id] = parameter;
        if (differ(emit, id, reflection->parameter_variables[parameter]))
            emit->is_mixed[parameter] = true;
    }
    compare_blocks(emit);
    return TRM_OK;
}

int32_t emit_units(struct emit *emit)
{
    struct spirv_module *module = emit->module;
    struct units units          = {
                 base_arena_allocate(emit->arena, module->bound, sizeof(*units.by_type)),
    };

    emit->units = base_arena_allocate(emit->arena, module->bound, sizeof(*emit->units));
    if (units.by_type == NULL || emit->units == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < module->type_count; i++)
        of_type(&units, spirv_type(module, module->types[i]));
    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id      = module->variables[i];
        uint32_t pointer = module->ids[id].as.variable->type;
        emit->units[id]  = units.by_type[spirv_type(module, pointer)->element];
    }
    return find_parameters(emit);
}
