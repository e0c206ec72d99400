/* Lists what buffers and push constants consist of. Each struct type is listed once, however often it is
 * used: the list grows with the module and the nesting of its arrays, not with that of its structs.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "compiler/spirv/reader.h"

struct list {
    const struct spirv_module *module;
    struct trm_member_info *members;
    const struct spirv_type *
        *types; /* beside each member: of an element, what it consists of; NULL: nothing */
    const struct spirv_member *
        *decorations; /* beside each: the struct's member with its matrix stride, or NULL */
    uint32_t count, capacity, type_capacity, decoration_capacity;
    uint32_t *firsts; /* by id of a struct type: where its members begin; 0: they are not listed yet */
};

static bool is_array(const struct spirv_type *type)
{
    return type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY;
}

static void describe_element(const struct spirv_module *module, const struct spirv_type *type,
                             const struct spirv_member *member, struct trm_member_info *info)
{
    bool is_row_major      = member != NULL && member->row_major;
    uint32_t matrix_stride = member != NULL ? member->matrix_stride : 0;

    info->size       = (uint32_t)spirv_layout_size(module, type, matrix_stride, is_row_major);
    info->components = 1;
    if (type->kind == SPIRV_MATRIX) {
        info->columns       = type->count;
        info->components    = type->count;
        info->matrix_stride = matrix_stride;
        info->is_row_major  = is_row_major;
        type                = spirv_type(module, type->element);
    }
    if (type->kind == SPIRV_VECTOR) {
        info->components *= type->count;
        type = spirv_type(module, type->element);
    }
    if (type->kind == SPIRV_INT || type->kind == SPIRV_FLOAT)
        info->type = spirv_public_type(type);
}

static bool grow(struct list *list)
{
    struct base_arena *arena = list->module->arena;

    return base_arena_grow(arena, &list->members, list->count, &list->capacity, sizeof(*list->members)) &&
           base_arena_grow(arena, &list->types, list->count, &list->type_capacity, sizeof(*list->types)) &&
           base_arena_grow(arena, &list->decorations, list->count, &list->decoration_capacity,
                           sizeof(*list->decorations));
}

/* Adds a member of this type. NULL without memory. */
static struct trm_member_info *add(struct list *list, const struct spirv_type *type,
                                   const struct spirv_member *member, const char *name)
{
    struct trm_member_info info = {.struct_size = sizeof(info), .name = name, .count = 1};

    if (!grow(list))
        return NULL;
    if (type != NULL && is_array(type)) {
        info.count        = type->kind == SPIRV_ARRAY ? type->count : 0;
        info.array_stride = type->stride;
        type              = spirv_type(list->module, type->element);
    }
    if (type != NULL)
        describe_element(list->module, type, member, &info);
    list->types[list->count]       = type;
    list->decorations[list->count] = member;
    list->members[list->count]     = info;
    return &list->members[list->count++];
}

static bool add_struct(struct list *list, const struct spirv_type *type)
{
    list->firsts[type->id] = list->count;
    for (uint32_t i = 0; i < type->count; i++) {
        const struct spirv_member *member = &type->members[i];
        struct trm_member_info *info =
            add(list, spirv_type(list->module, member->type), member, member->name);
        if (info == NULL)
            return false;
        info->offset = member->offset;
    }
    return true;
}

/* Lists what a member consists of: the members of a struct, or one that is the element of an array of
 * arrays. */
static bool expand(struct list *list, uint32_t index)
{
    const struct spirv_type *type = list->types[index];

    if (type == NULL || (type->kind != SPIRV_STRUCT && !is_array(type)))
        return true;
    if (is_array(type)) {
        list->members[index].first_member = list->count;
        list->members[index].member_count = 1;
        return add(list, type, list->decorations[index], "") != NULL;
    }
    if (list->firsts[type->id] == 0 && !add_struct(list, type))
        return false;
    list->members[index].first_member = list->firsts[type->id];
    list->members[index].member_count = type->count;
    return true;
}

/* Adds the block of a buffer, a member of the push constants, or an image or sampler, which has nothing in
 * it. */
static bool add_parameter(struct list *list, uint32_t variable, uint32_t index, const char *name)
{
    const struct spirv_module *module = list->module;
    const struct spirv_type *type     = spirv_descriptor_of(module, variable);
    const struct spirv_member *member = NULL;

    if (module->ids[variable].as.variable->storage == SpvStorageClassPushConstant) {
        member = &type->members[index];
        type   = spirv_type(module, member->type);
    }
    return add(list, type->kind < SPIRV_POINTER ? type : NULL, member, name) != NULL;
}

int32_t spirv_reflect_members(const struct spirv_module *module, struct spirv_reflection *reflection,
                              const struct trm_kernel_info *kernel)
{
    struct list list = {.module = module};
    bool worked      = true;

    list.firsts = base_arena_allocate(module->arena, module->bound, sizeof(*list.firsts));
    if (list.firsts == NULL)
        return base_arena_fail(module->arena, "reflecting SPIR-V");
    for (uint32_t i = 0; i < kernel->parameter_count && worked; i++)
        worked = add_parameter(&list, reflection->parameter_variables[i], reflection->parameter_members[i],
                               kernel->parameters[i].name);
    for (uint32_t i = 0; i < reflection->view_count && worked; i++)
        worked = add_parameter(&list, reflection->views[i].variable, 0, reflection->views[i].info.view.name);
    for (uint32_t i = 0; i < list.count && worked; i++)
        worked = expand(&list, i);
    if (!worked)
        return base_arena_fail(module->arena, "reflecting SPIR-V");
    reflection->members      = list.members;
    reflection->member_count = list.count;
    return TRM_OK;
}
