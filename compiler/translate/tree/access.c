/* Resolves pointers to a variable and a path of indices.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/translate/tree/tree.h"

const struct access *body_access(const struct body *body, uint32_t pointer)
{
    return &body->values[pointer].access;
}

const struct spirv_variable *body_variable(const struct body *body, uint32_t id)
{
    return body->module->ids[id].kind == SPIRV_ID_VARIABLE ? body->module->ids[id].as.variable : NULL;
}

void access_variable(struct body *body, uint32_t variable)
{
    body->values[variable].access = (struct access){
        .variable = variable,
        .type     = spirv_type_of(body->module, variable)->element,
    };
}

/* Does the struct that an address points to have volatile or coherent members? */
static void inherit_members(const struct spirv_type *type, struct spirv_variable *memory)
{
    for (uint32_t i = 0; type->kind == SPIRV_STRUCT && i < type->count; i++) {
        memory->is_volatile |= type->members[i].is_volatile;
        memory->is_coherent |= type->members[i].is_coherent;
    }
}

/* Does the shader have volatile or coherent buffers, to which the pointer may point? */
static void inherit_flags(const struct spirv_module *module, struct spirv_variable *memory)
{
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct spirv_variable *variable = module->ids[module->variables[i]].as.variable;
        if (variable->storage != memory->storage)
            continue;
        memory->is_volatile |= variable->is_volatile;
        memory->is_coherent |= variable->is_coherent;
    }
}

static uint32_t new_type(struct body *body, const struct spirv_type *type)
{
    struct spirv_type *copy = base_arena_allocate(body->arena, 1, sizeof(*copy));
    uint32_t id             = body_new_id(body, 0);

    if (copy == NULL || id == 0)
        return 0;
    *copy                              = *type;
    copy->id                           = id;
    body->module->ids[id].kind         = SPIRV_ID_TYPE;
    body->module->ids[id].as.type_info = copy;
    return id;
}

uint32_t body_bool_type(struct body *body)
{
    const struct spirv_module *module = body->module;

    for (uint32_t i = 0; i < module->type_count && body->bool_type == 0; i++)
        if (spirv_type(module, module->types[i])->kind == SPIRV_BOOL)
            body->bool_type = module->types[i];
    if (body->bool_type == 0)
        body->bool_type = new_type(
            body,
            &(struct spirv_type){.kind = SPIRV_BOOL, .natural_size = 4, .natural_alignment = 4, .depth = 1});
    return body->bool_type;
}

uint32_t body_address_type(struct body *body)
{
    if (body->address_type == 0)
        body->address_type = body->module->address_type;
    if (body->address_type == 0)
        body->address_type = new_type(body, &(struct spirv_type){.kind              = SPIRV_INT,
                                                                 .width             = 64,
                                                                 .size              = 8,
                                                                 .natural_size      = 8,
                                                                 .natural_alignment = 8,
                                                                 .depth             = 1});
    return body->address_type;
}

uint32_t body_pointer_type(struct body *body, uint32_t storage, uint32_t element)
{
    return new_type(body, &(struct spirv_type){
                              .kind = SPIRV_POINTER, .storage = storage, .element = element, .depth = 2});
}

/* The storage of what a pointer points to: a physical pointer points into storage buffers. */
static uint32_t storage_of(const struct spirv_type *pointer)
{
    return spirv_is_address(pointer) ? (uint32_t)SpvStorageClassStorageBuffer : pointer->storage;
}

/* The memory variable of a pointer type. */
static uint32_t memory_of(struct body *body, const struct spirv_type *pointer)
{
    for (uint32_t i = 0; i < body->memory_count; i++) {
        uint32_t id                        = body->memories[i];
        const struct spirv_variable *known = body->module->ids[id].as.variable;
        if (known->storage == storage_of(pointer) && known->is_physical == spirv_is_address(pointer) &&
            spirv_type(body->module, body->values[id].access.type)->element == pointer->element)
            return id;
    }
    struct spirv_variable *variable = base_arena_allocate(body->arena, 1, sizeof(*variable));
    uint32_t array                  = new_type(
                         body,
                         &(struct spirv_type){.kind = SPIRV_RUNTIME_ARRAY, .element = pointer->element, .is_unsized = true});
    uint32_t type = array == 0 ? 0 : body_pointer_type(body, storage_of(pointer), array);
    uint32_t id   = type == 0 ? 0 : body_new_id(body, type);
    if (variable == NULL || id == 0 ||
        !base_arena_grow(body->arena, &body->memories, body->memory_count, &body->memory_capacity,
                         sizeof(*body->memories)))
        return 0;
    *variable = (struct spirv_variable){.type        = type,
                                        .storage     = storage_of(pointer),
                                        .builtin     = -1,
                                        .is_written  = true,
                                        .is_memory   = true,
                                        .is_physical = spirv_is_address(pointer)};
    if (variable->is_physical)
        inherit_members(spirv_type(body->module, pointer->element), variable);
    else
        inherit_flags(body->module, variable);
    body->module->ids[id].kind           = SPIRV_ID_VARIABLE;
    const char *name                     = body->module->ids[pointer->element].name;
    bool has_name                        = variable->is_physical && name != NULL && name[0] != '\0';
    body->module->ids[id].name           = has_name ? name : "pointer";
    body->module->ids[id].as.variable    = variable;
    body->memories[body->memory_count++] = id;
    access_variable(body, id);
    return id;
}

bool access_address(struct body *body, uint32_t pointer, uint32_t type, uint32_t address)
{
    const struct spirv_type *info = spirv_type(body->module, type);
    uint32_t *index               = base_arena_allocate(body->arena, 1, sizeof(*index));
    uint32_t memory               = memory_of(body, info);

    if (index == NULL || memory == 0)
        return false;
    *index                       = address;
    body->values[pointer].access = (struct access){
        .variable = memory,
        .count    = 1,
        .indices  = index,
        .type     = info->element,
    };
    return true;
}

uint32_t access_only_address(const struct body *body, uint32_t pointer)
{
    const struct access *access = body_access(body, pointer);
    const struct spirv_variable *variable =
        access->variable == 0 ? NULL : body_variable(body, access->variable);

    return variable != NULL && variable->is_memory && access->count == 1 ? access->indices[0] : 0;
}

/* The type that an index selects, or 0. */
static uint32_t step(const struct spirv_module *module, uint32_t type_id, uint32_t index)
{
    const struct spirv_type *type = spirv_type(module, type_id);

    switch (type->kind) {
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
    case SPIRV_ARRAY:
    case SPIRV_RUNTIME_ARRAY:
    case SPIRV_COOPERATIVE:
        return type->element;
    case SPIRV_STRUCT: {
        const struct spirv_constant *constant = spirv_constant(module, index);
        if (constant == NULL || constant->part_count != 0 || constant->bits >= type->count)
            return 0;
        return type->members[constant->bits].type;
    }
    default:
        return 0;
    }
}

int32_t access_chain(struct body *body, const struct spirv_instruction *op, uint32_t pointer, uint32_t base,
                     const uint32_t *indices, uint32_t count)
{
    const struct access *from = &body->values[base].access;

    if (from->variable == 0)
        return body_refuse(body, op, "of a pointer that is no variable is not supported");
    uint32_t *all = base_arena_allocate(body->arena, (size_t)from->count + count, sizeof(*all));
    if (all == NULL)
        return body_status(body);
    if (from->count != 0)
        memcpy(all, from->indices, from->count * sizeof(*all));
    uint32_t type = from->type;
    for (uint32_t i = 0; i < count; i++) {
        type = step(body->module, type, indices[i]);
        if (type == 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "an OpAccessChain has an index that does not exist in its type");
        all[from->count + i] = indices[i];
    }
    body->values[pointer].access = (struct access){
        .variable = from->variable,
        .count    = from->count + count,
        .indices  = all,
        .type     = type,
    };
    return TRM_OK;
}

/* The indices of a path, without those of its sampler, and room for `more`. NULL without memory. */
static uint32_t *copy_indices(struct body *body, const struct access *from, uint32_t more)
{
    uint32_t count    = from->count - from->sampler_count;
    uint32_t *indices = base_arena_allocate(body->arena, (size_t)count + more + 1, sizeof(*indices));

    if (indices != NULL && count != 0)
        memcpy(indices, from->indices, count * sizeof(*indices));
    return indices;
}

int32_t access_sampled(struct body *body, uint32_t id, uint32_t image, uint32_t sampler)
{
    const struct access *from = &body->values[image].access, *state = &body->values[sampler].access;
    uint32_t count    = from->count - from->sampler_count;
    uint32_t *indices = copy_indices(body, from, state->count);

    if (indices == NULL)
        return body_status(body);
    if (state->count != 0)
        memcpy(indices + count, state->indices, state->count * sizeof(*indices));
    body->values[id].access = (struct access){
        .variable      = from->variable,
        .count         = count + state->count,
        .indices       = indices,
        .type          = from->type,
        .sampler       = state->variable,
        .sampler_count = state->count,
    };
    return TRM_OK;
}

int32_t access_texel(struct body *body, uint32_t pointer, uint32_t image, uint32_t coordinate)
{
    const struct access *from = &body->values[image].access;
    uint32_t *indices         = copy_indices(body, from, 1);

    if (indices == NULL)
        return body_status(body);
    indices[from->count]         = coordinate;
    body->values[pointer].access = (struct access){
        .variable = from->variable,
        .count    = from->count + 1,
        .indices  = indices,
        .type     = spirv_type(body->module, from->type)->element,
    };
    return TRM_OK;
}

uint32_t access_copy(struct body *body, uint32_t pointer, const uint32_t *indices)
{
    uint32_t copy = body_copy_id(body, pointer);

    if (copy == 0)
        return 0;
    body->values[copy].access         = body->values[pointer].access;
    body->values[copy].access.indices = indices;
    return copy;
}

bool access_is_fixed(const struct body *body, const struct access *access)
{
    uint32_t type_id = spirv_type_of(body->module, access->variable)->element;

    for (uint32_t i = 0; i < access->count; i++) {
        const struct spirv_constant *constant = spirv_constant(body->module, access->indices[i]);
        const struct spirv_type *type         = spirv_type(body->module, type_id);
        if (spirv_is_opaque(type))
            return false; /* the coordinate of a texel, or a sampler's index */
        if (constant == NULL || type->kind == SPIRV_RUNTIME_ARRAY || constant->bits >= type->count)
            return false;
        type_id = type->kind == SPIRV_STRUCT ? type->members[constant->bits].type : type->element;
    }
    return true;
}

bool access_may_fail(const struct body *body, const struct access *access)
{
    return body->checks_bounds && !access_is_fixed(body, access);
}
