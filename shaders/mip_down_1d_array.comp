#version 450
/* mip_down_1d_array: the next mip level of a 1D array image
 *
 * Each texel becomes the mean of the texels that it covers, which with an odd size count in part; layers stay
 * apart. trm_image_build_mips() launches this kernel for each level.
 *
 * Arguments
 *     source          the image, from the level that is read on (a texture)
 *     target          the level after it (a storage image)
 * Launch
 *     an item for each texel of the target, in x; layers in y
 * Notes
 *     The image has a format of floats, UNORM or SNORM.
 * Example
 *     trm_image_build_mips(stream, image); // launches mip_down_1d_array
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform texture1DArray source;
layout(set = 0, binding = 1) uniform writeonly image1DArray target;

#include "common/mip_down.glsl"

vec4 texel(ivec3 at)
{
    return texelFetch(source, at.xy, 0);
}

void store(ivec3 at, vec4 color)
{
    imageStore(target, at.xy, color);
}

void main()
{
    mip_down(ivec3(gl_GlobalInvocationID), ivec3(textureSize(source, 0), 1), ivec3(imageSize(target), 1));
}
