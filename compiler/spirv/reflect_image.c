/* Describes images and samplers, and arrays of them and of buffers, as parameters of a kernel.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/image.h>
#include <trireme/type.h>

#include "base/base.h"
#include "compiler/spirv/reader.h"

static int32_t kind_of(const struct spirv_type *type)
{
    if (type->kind == SPIRV_SAMPLER)
        return TRM_PARAMETER_SAMPLER;
    if (type->image->type == TRM_IMAGE_BUFFER)
        return TRM_PARAMETER_TEXELS;
    if (type->kind == SPIRV_SAMPLED_IMAGE)
        return TRM_PARAMETER_SAMPLED_IMAGE;
    return type->image->is_storage ? TRM_PARAMETER_IMAGE : TRM_PARAMETER_TEXTURE;
}

/* Only storage images are written. */
static uint32_t access_of(const struct spirv_type *type, const struct spirv_variable *variable)
{
    uint32_t access = TRM_ACCESS_READ;

    if (type->kind != SPIRV_IMAGE || !type->image->is_storage)
        return access;
    if (!variable->non_writable)
        access |= TRM_ACCESS_WRITE;
    return variable->non_readable && access != TRM_ACCESS_READ ? (uint32_t)TRM_ACCESS_WRITE : access;
}

int32_t spirv_reflect_kind(const struct spirv_module *module, uint32_t id, int32_t kind)
{
    const struct spirv_type *type = spirv_type(module, spirv_type_of(module, id)->element);
    uint32_t count                = 1;

    if (type->kind == SPIRV_RUNTIME_ARRAY)
        return kind | TRM_PARAMETER_ARRAY;
    if (type->kind != SPIRV_ARRAY)
        return kind;
    for (; type->kind == SPIRV_ARRAY; type = spirv_type(module, type->element))
        count = count * type->count <= SPIRV_ELEMENTS_MOST ? count * type->count : 1;
    return kind | TRM_PARAMETER_ARRAY | (int32_t)(count << 16);
}

struct trm_parameter spirv_reflect_opaque(const struct spirv_module *module, uint32_t id)
{
    const struct spirv_variable *variable = module->ids[id].as.variable;
    const struct spirv_type *type         = spirv_descriptor_of(module, id);
    struct trm_parameter parameter        = {.name   = module->ids[id].name,
                                             .kind   = spirv_reflect_kind(module, id, kind_of(type)),
                                             .access = access_of(type, variable),
                                             .set    = variable->set,
                                             .place  = variable->binding};

    if (type->kind == SPIRV_SAMPLER)
        return parameter;
    const struct spirv_type *image = type->kind == SPIRV_IMAGE ? type : spirv_type(module, type->element);
    parameter.type                 = spirv_public_type(spirv_type(module, image->element));
    parameter.size                 = (uint32_t)image->image->type;
    parameter.stride               = (uint32_t)image->image->format;
    parameter.components           = type->kind == SPIRV_SAMPLED_IMAGE && image->image->is_depth;
    return parameter;
}

/* ---- arrays as backends get them ------------------------------------------------------------ */

static bool is_member(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_SCALAR || parameter->kind == TRM_PARAMETER_BLOCK;
}

/* The list that is filled; without `parameters` its entries are counted. */
struct flat {
    struct base_arena *arena;
    struct trm_parameter *parameters;
    uint32_t count;
    bool has_arrays;
};

static void add(struct flat *flat, const struct trm_parameter *parameter)
{
    if (flat->parameters != NULL)
        flat->parameters[flat->count] = *parameter;
    flat->count++;
}

static void add_elements(struct flat *flat, const struct trm_parameter *parameter)
{
    struct trm_parameter element = *parameter;
    uint32_t count               = trm_parameter_count(parameter);

    element.kind = trm_parameter_element(parameter);
    flat->has_arrays |= trm_parameter_is_array(parameter);
    for (uint32_t i = 0; i < (count != 0 ? count : TRM_ARRAY_MOST); i++)
        add(flat, &element);
}

static void add_count(struct flat *flat, const struct trm_parameter *parameter)
{
    struct trm_parameter count = {.kind       = TRM_PARAMETER_SCALAR,
                                  .type       = TRM_TYPE_U64,
                                  .access     = TRM_ACCESS_READ,
                                  .components = 1,
                                  .size       = sizeof(uint64_t),
                                  .set        = SPIRV_COUNT_SET};

    if (flat->parameters != NULL)
        count.name = base_arena_format(flat->arena, "%s.count", parameter->name);
    add(flat, &count);
}

static void flatten(struct flat *flat, const struct trm_kernel_info *kernel)
{
    flat->count = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (!is_member(&kernel->parameters[i]))
            add_elements(flat, &kernel->parameters[i]);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (trm_parameter_count(&kernel->parameters[i]) == 0)
            add_count(flat, &kernel->parameters[i]);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (is_member(&kernel->parameters[i]))
            add(flat, &kernel->parameters[i]);
}

int32_t spirv_flatten(struct base_arena *arena, struct trm_kernel_info *kernel)
{
    struct flat flat = {.arena = arena};

    flatten(&flat, kernel);
    if (!flat.has_arrays)
        return TRM_OK;
    flat.parameters = base_arena_allocate(arena, flat.count, sizeof(*flat.parameters));
    if (flat.parameters == NULL)
        return base_arena_fail(arena, "reflecting SPIR-V");
    flatten(&flat, kernel);
    kernel->parameters      = flat.parameters;
    kernel->parameter_count = flat.count;
    return arena->failed ? base_arena_fail(arena, "reflecting SPIR-V") : TRM_OK;
}
