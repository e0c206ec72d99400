/* Describes the kernels and constants of a module to the program.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include <trireme/type.h>

#include "base/base.h"
#include "compiler/spirv/reader.h"

/* A parameter before sorting. */
struct found {
    struct trm_parameter parameter;
    uint32_t variable, member;
    uint32_t order; /* among the variables of the module */
};

/* ---- types --------------------------------------------------------------------------------- */

/* Sets the type and number of components for scalars, vectors and matrices; leaves TRM_TYPE_NONE for
 * others. */
static void describe_element(const struct spirv_module *module, const struct spirv_type *type,
                             struct trm_parameter *parameter)
{
    uint32_t components = 1;

    if (type->kind == SPIRV_MATRIX) {
        components = type->count;
        type       = spirv_type(module, type->element);
    }
    if (type->kind == SPIRV_VECTOR) {
        components *= type->count;
        type = spirv_type(module, type->element);
    }
    if (type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT)
        return;
    parameter->type       = spirv_public_type(type);
    parameter->components = components;
}

static bool is_array(const struct spirv_type *type)
{
    return type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY;
}

/* A buffer with one member is described by the type of that member or of its elements; others have only a
 * size. */
static void describe_buffer(const struct spirv_module *module, const struct spirv_type *block,
                            struct trm_parameter *parameter)
{
    parameter->size = block->size;
    if (block->count != 1)
        return;
    const struct spirv_type *type = spirv_type(module, block->members[0].type);
    if (is_array(type)) {
        parameter->stride = type->stride;
        type              = spirv_type(module, type->element);
    }
    describe_element(module, type, parameter);
}

static void describe_member(const struct spirv_module *module, const struct spirv_member *member,
                            struct trm_parameter *parameter)
{
    const struct spirv_type *type = spirv_type(module, member->type);

    parameter->kind =
        type->kind == SPIRV_INT || type->kind == SPIRV_FLOAT ? TRM_PARAMETER_SCALAR : TRM_PARAMETER_BLOCK;
    parameter->name  = member->name;
    parameter->place = member->offset;
    parameter->size  = (uint32_t)spirv_layout_size(module, type, member->matrix_stride, member->row_major);
    while (is_array(type))
        type = spirv_type(module, type->element);
    describe_element(module, type, parameter);
}

/* ---- parameters ---------------------------------------------------------------------------- */

static bool is_buffer(const struct spirv_variable *variable)
{
    return variable->storage == SpvStorageClassStorageBuffer || variable->storage == SpvStorageClassUniform;
}

static const char *buffer_name(const struct spirv_module *module, uint32_t id, const struct spirv_type *block)
{
    const char *name = module->ids[id].name;

    if (name[0] == 0 && block->count == 1)
        name = block->members[0].name;
    return name[0] != 0 ? name : module->ids[block->id].name;
}

static void add_buffer(const struct spirv_module *module, uint32_t id, struct found *found)
{
    const struct spirv_variable *variable = module->ids[id].as.variable;
    const struct spirv_type *block        = spirv_descriptor_of(module, id);

    found->variable  = id;
    found->parameter = (struct trm_parameter){.name  = buffer_name(module, id, block),
                                              .kind  = spirv_reflect_kind(module, id, TRM_PARAMETER_BUFFER),
                                              .set   = variable->set,
                                              .place = variable->binding};
    if (variable->storage == SpvStorageClassUniform && block->is_block)
        found->parameter.access = TRM_ACCESS_READ;
    else
        found->parameter.access = (variable->non_readable ? 0 : (uint32_t)TRM_ACCESS_READ) |
                                  (variable->non_writable ? 0 : (uint32_t)TRM_ACCESS_WRITE);
    if (found->parameter.access == 0)
        found->parameter.access = TRM_ACCESS_READ;
    describe_buffer(module, block, &found->parameter);
}

static const struct spirv_type *push_block(const struct spirv_module *module, uint32_t id)
{
    return spirv_type(module, spirv_type_of(module, id)->element);
}

static uint32_t count_parameters(const struct spirv_module *module)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id                           = module->variables[i];
        const struct spirv_variable *variable = module->ids[id].as.variable;
        if (is_buffer(variable) || variable->storage == SpvStorageClassUniformConstant)
            count++;
        else if (variable->storage == SpvStorageClassPushConstant)
            count += push_block(module, id)->count;
    }
    return count;
}

static void find_parameters(const struct spirv_module *module, struct found *found)
{
    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id                           = module->variables[i];
        const struct spirv_variable *variable = module->ids[id].as.variable;
        if (is_buffer(variable)) {
            add_buffer(module, id, found);
            found++->order = i;
        }
        if (variable->storage == SpvStorageClassUniformConstant)
            *found++ =
                (struct found){.variable = id, .parameter = spirv_reflect_opaque(module, id), .order = i};
        if (variable->storage != SpvStorageClassPushConstant)
            continue;
        const struct spirv_type *block = push_block(module, id);
        for (uint32_t m = 0; m < block->count; m++, found++) {
            *found = (struct found){.variable = id, .member = m};
            describe_member(module, &block->members[m], &found->parameter);
        }
    }
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* Is it a member of the push constants, not a buffer, image or sampler? */
static bool is_member(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_SCALAR || parameter->kind == TRM_PARAMETER_BLOCK;
}

/* Bytes from one element of a buffer to the next, or of all its members. */
static uint32_t width_of(const struct found *found)
{
    return found->parameter.stride != 0 ? found->parameter.stride : found->parameter.size;
}

static bool is_buffer_parameter(const struct found *found)
{
    return trm_parameter_element(&found->parameter) == TRM_PARAMETER_BUFFER;
}

/* Sorts buffers, images and samplers by set and binding, then members of the push constants by offset. The
 * view of a buffer with the widest elements comes first, and of several such views the first of the
 * module. */
static int compare_found(const void *left, const void *right)
{
    const struct found *a = left, *b = right;

    if (is_member(&a->parameter) != is_member(&b->parameter))
        return is_member(&a->parameter) ? 1 : -1;
    int order = compare_numbers(a->parameter.set, b->parameter.set);
    if (order == 0)
        order = compare_numbers(a->parameter.place, b->parameter.place);
    if (order == 0 && is_buffer_parameter(a) && is_buffer_parameter(b))
        order = compare_numbers(width_of(b), width_of(a));
    if (order == 0)
        order = compare_numbers(a->order, b->order);
    return order != 0 ? order : compare_numbers(a->member, b->member);
}

static bool is_same_binding(const struct trm_parameter *a, const struct trm_parameter *b)
{
    return !is_member(a) && !is_member(b) && a->set == b->set && a->place == b->place;
}

/* The tables that the parameters are sorted into. */
struct tables {
    struct trm_parameter *parameters;
    uint32_t *variables, *members;
    struct spirv_view *views;
    uint32_t count, view_count;
};

static bool make_tables(struct base_arena *arena, uint32_t count, struct tables *tables)
{
    tables->parameters = base_arena_allocate(arena, count, sizeof(*tables->parameters));
    tables->variables  = base_arena_allocate(arena, count, sizeof(*tables->variables));
    tables->members    = base_arena_allocate(arena, count, sizeof(*tables->members));
    tables->views      = base_arena_allocate(arena, count, sizeof(*tables->views));
    return tables->parameters != NULL && tables->variables != NULL && tables->members != NULL &&
           tables->views != NULL;
}

/* Adds a parameter, or a view of the last one: then that needs the bytes and the access of both. */
static int32_t add_found(struct tables *tables, const struct found *found)
{
    struct trm_parameter *last = tables->count != 0 ? &tables->parameters[tables->count - 1] : NULL;

    if (last != NULL && is_same_binding(last, &found->parameter)) {
        if (last->kind != found->parameter.kind || !is_buffer_parameter(found))
            return base_fail(TRM_ERROR_UNSUPPORTED,
                             "\"%.100s\" and \"%.100s\" have the same set %u and binding %u", last->name,
                             found->parameter.name, last->set, last->place);
        last->access |= found->parameter.access;
        if (last->size < found->parameter.size)
            last->size = found->parameter.size;
        tables->views[tables->view_count++] =
            (struct spirv_view){.variable         = found->variable,
                                .info.struct_size = sizeof(struct trm_view_info),
                                .info.parameter   = tables->count - 1,
                                .info.view        = found->parameter};
        return TRM_OK;
    }
    tables->parameters[tables->count] = found->parameter;
    tables->variables[tables->count]  = found->variable;
    tables->members[tables->count]    = found->member;
    tables->count++;
    return TRM_OK;
}

static int32_t reflect_parameters(const struct spirv_module *module, struct spirv_reflection *reflection,
                                  struct trm_kernel_info *kernel)
{
    uint32_t count       = count_parameters(module);
    struct found *found  = base_arena_allocate(module->arena, count, sizeof(*found));
    struct tables tables = {.count = 0};

    if (found == NULL || !make_tables(module->arena, count, &tables))
        return base_arena_fail(module->arena, "reflecting SPIR-V");
    find_parameters(module, found);
    qsort(found, count, sizeof(*found), compare_found);
    for (uint32_t i = 0; i < count; i++) {
        int32_t status = add_found(&tables, &found[i]);
        if (status != TRM_OK)
            return status;
    }
    kernel->parameters              = tables.parameters;
    kernel->parameter_count         = tables.count;
    reflection->parameter_variables = tables.variables;
    reflection->parameter_members   = tables.members;
    reflection->views               = tables.views;
    reflection->view_count          = tables.view_count;
    return TRM_OK;
}

/* ---- shared memory, constants, kernels ----------------------------------------------------- */

static int32_t shared_bytes(const struct spirv_module *module, uint32_t *bytes)
{
    uint64_t sum = spirv_shared_block_size(module);

    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id                           = module->variables[i];
        const struct spirv_variable *variable = module->ids[id].as.variable;
        if (variable->storage != SpvStorageClassWorkgroup || variable->is_shared_block)
            continue;
        const struct spirv_type *type = spirv_type(module, spirv_type_of(module, id)->element);
        uint64_t alignment            = type->natural_alignment;
        sum                           = (sum + alignment - 1) / alignment * alignment + type->natural_size;
    }
    if (sum > SPIRV_SIZE_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED, "%llu bytes of shared memory are more than %u",
                         (unsigned long long)sum, SPIRV_SIZE_MOST);
    *bytes = (uint32_t)sum;
    return TRM_OK;
}

static struct trm_constant_info describe_constant(const struct spirv_module *module, uint32_t id)
{
    const struct spirv_constant *constant = module->ids[id].as.constant;
    const struct spirv_type *type         = spirv_type(module, constant->type);
    uint64_t mask                         = UINT64_MAX;

    if (type->kind != SPIRV_BOOL && type->width < 64)
        mask = ((uint64_t)1 << type->width) - 1;
    return (struct trm_constant_info){.struct_size  = sizeof(struct trm_constant_info),
                                      .id           = constant->spec_id,
                                      .name         = module->ids[id].name,
                                      .type         = spirv_public_type(type),
                                      .default_bits = constant->default_bits & mask};
}

/* Constants that share a SpecId are one constant to the program, with the first name that one of them has. */
static int32_t reflect_constants(const struct spirv_module *module, struct spirv_reflection *reflection)
{
    uint32_t count = 0;

    reflection->constants =
        base_arena_allocate(module->arena, module->constant_count, sizeof(*reflection->constants));
    if (reflection->constants == NULL)
        return base_arena_fail(module->arena, "reflecting SPIR-V");
    for (uint32_t i = 0; i < module->constant_count; i++) {
        struct trm_constant_info info = describe_constant(module, module->constants[i]);
        if (count == 0 || reflection->constants[count - 1].id != info.id)
            reflection->constants[count++] = info;
        else if (reflection->constants[count - 1].name[0] == 0)
            reflection->constants[count - 1] = info;
    }
    reflection->constant_count = count;
    return TRM_OK;
}

int32_t spirv_reflect(const struct spirv_module *module, const char *name,
                      struct spirv_reflection *reflection)
{
    struct spirv_reflection result = {.kernel_count = module->entry_count};
    struct trm_kernel_info common  = {.struct_size = sizeof(common)};
    int32_t status                 = reflect_parameters(module, &result, &common);

    if (status == TRM_OK)
        status = spirv_reflect_members(module, &result, &common);
    if (status == TRM_OK)
        status = shared_bytes(module, &common.shared_bytes);
    if (status == TRM_OK)
        status = reflect_constants(module, &result);
    if (status != TRM_OK)
        return status;
    result.kernels = base_arena_allocate(module->arena, module->entry_count, sizeof(*result.kernels));
    if (result.kernels == NULL)
        return base_arena_fail(module->arena, "reflecting SPIR-V");
    for (uint32_t i = 0; i < module->entry_count; i++) {
        const struct spirv_entry *entry = &module->entries[i];
        result.kernels[i]               = common;
        result.kernels[i].name = name != NULL && strcmp(entry->name, "main") == 0 ? name : entry->name;
        memcpy(result.kernels[i].group_size, entry->local_size, sizeof(entry->local_size));
    }
    *reflection = result;
    return TRM_OK;
}
