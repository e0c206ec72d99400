/* Describes images and samplers as parameters of a kernel.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/image.h>
#include <trireme/type.h>

#include "compiler/spirv/reader.h"
#include "compiler/spirv/reflect.h"

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

struct trm_parameter spirv_reflect_opaque(const struct spirv_module *module, uint32_t id)
{
    const struct spirv_variable *variable = module->ids[id].as.variable;
    const struct spirv_type *type         = spirv_type(module, spirv_type(module, variable->type)->element);
    struct trm_parameter parameter        = {.name   = module->ids[id].name,
                                             .kind   = kind_of(type),
                                             .access = access_of(type, variable),
                                             .set    = variable->set,
                                             .place  = variable->binding};

    if (type->kind == SPIRV_SAMPLER)
        return parameter;
    const struct spirv_type *image = type->kind == SPIRV_IMAGE ? type : spirv_type(module, type->element);
    parameter.type                 = spirv_public_type(spirv_type(module, image->element));
    parameter.size                 = (uint32_t)image->image->type;
    parameter.stride               = (uint32_t)image->image->format;
    return parameter;
}
