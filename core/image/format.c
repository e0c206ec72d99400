/* Formats of texels.
 * SPDX-License-Identifier: MIT
 */
#include "core/image/format.h"

#include <stddef.h>

struct format {
    const char *name; /* as GLSL spells it */
    uint32_t size;    /* bytes of a texel */
    int32_t type;     /* enum trm_type: what a kernel reads */
};

static const struct format formats[] = {
    [TRM_FORMAT_R8_UNORM]      = {"r8", 1, TRM_TYPE_F32},
    [TRM_FORMAT_R8_SNORM]      = {"r8_snorm", 1, TRM_TYPE_F32},
    [TRM_FORMAT_R8_UINT]       = {"r8ui", 1, TRM_TYPE_U32},
    [TRM_FORMAT_R8_SINT]       = {"r8i", 1, TRM_TYPE_I32},
    [TRM_FORMAT_RG8_UNORM]     = {"rg8", 2, TRM_TYPE_F32},
    [TRM_FORMAT_RG8_SNORM]     = {"rg8_snorm", 2, TRM_TYPE_F32},
    [TRM_FORMAT_RG8_UINT]      = {"rg8ui", 2, TRM_TYPE_U32},
    [TRM_FORMAT_RG8_SINT]      = {"rg8i", 2, TRM_TYPE_I32},
    [TRM_FORMAT_RGBA8_UNORM]   = {"rgba8", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RGBA8_SNORM]   = {"rgba8_snorm", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RGBA8_UINT]    = {"rgba8ui", 4, TRM_TYPE_U32},
    [TRM_FORMAT_RGBA8_SINT]    = {"rgba8i", 4, TRM_TYPE_I32},
    [TRM_FORMAT_R16_UNORM]     = {"r16", 2, TRM_TYPE_F32},
    [TRM_FORMAT_R16_SNORM]     = {"r16_snorm", 2, TRM_TYPE_F32},
    [TRM_FORMAT_R16_UINT]      = {"r16ui", 2, TRM_TYPE_U32},
    [TRM_FORMAT_R16_SINT]      = {"r16i", 2, TRM_TYPE_I32},
    [TRM_FORMAT_R16_FLOAT]     = {"r16f", 2, TRM_TYPE_F32},
    [TRM_FORMAT_RG16_UNORM]    = {"rg16", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RG16_SNORM]    = {"rg16_snorm", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RG16_UINT]     = {"rg16ui", 4, TRM_TYPE_U32},
    [TRM_FORMAT_RG16_SINT]     = {"rg16i", 4, TRM_TYPE_I32},
    [TRM_FORMAT_RG16_FLOAT]    = {"rg16f", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RGBA16_UNORM]  = {"rgba16", 8, TRM_TYPE_F32},
    [TRM_FORMAT_RGBA16_SNORM]  = {"rgba16_snorm", 8, TRM_TYPE_F32},
    [TRM_FORMAT_RGBA16_UINT]   = {"rgba16ui", 8, TRM_TYPE_U32},
    [TRM_FORMAT_RGBA16_SINT]   = {"rgba16i", 8, TRM_TYPE_I32},
    [TRM_FORMAT_RGBA16_FLOAT]  = {"rgba16f", 8, TRM_TYPE_F32},
    [TRM_FORMAT_R32_UINT]      = {"r32ui", 4, TRM_TYPE_U32},
    [TRM_FORMAT_R32_SINT]      = {"r32i", 4, TRM_TYPE_I32},
    [TRM_FORMAT_R32_FLOAT]     = {"r32f", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RG32_UINT]     = {"rg32ui", 8, TRM_TYPE_U32},
    [TRM_FORMAT_RG32_SINT]     = {"rg32i", 8, TRM_TYPE_I32},
    [TRM_FORMAT_RG32_FLOAT]    = {"rg32f", 8, TRM_TYPE_F32},
    [TRM_FORMAT_RGBA32_UINT]   = {"rgba32ui", 16, TRM_TYPE_U32},
    [TRM_FORMAT_RGBA32_SINT]   = {"rgba32i", 16, TRM_TYPE_I32},
    [TRM_FORMAT_RGBA32_FLOAT]  = {"rgba32f", 16, TRM_TYPE_F32},
    [TRM_FORMAT_RGB10A2_UNORM] = {"rgb10_a2", 4, TRM_TYPE_F32},
    [TRM_FORMAT_RGB10A2_UINT]  = {"rgb10_a2ui", 4, TRM_TYPE_U32},
    [TRM_FORMAT_RG11B10_FLOAT] = {"r11f_g11f_b10f", 4, TRM_TYPE_F32},
};

bool core_format_is_known(int32_t format)
{
    return format > TRM_FORMAT_NONE && (size_t)format < sizeof(formats) / sizeof(formats[0]);
}

int32_t core_format_type(int32_t format)
{
    return core_format_is_known(format) ? formats[format].type : TRM_TYPE_NONE;
}

uint32_t trm_format_size(int32_t format)
{
    return core_format_is_known(format) ? formats[format].size : 0;
}

const char *trm_format_name(int32_t format)
{
    return core_format_is_known(format) ? formats[format].name : "none";
}
