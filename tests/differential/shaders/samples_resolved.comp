#version 450
// A resolve as renderers write it: samplers that nothing filters, parameters of functions, arrays of images, beside an
// array image of the same kind.
//! image in 0 rgba8 2d-array 10 6 4 1
//! sampler 0 nearest nearest clamp
//! image in 1 r32f 2d-array 10 6 2 1 range 0 1
//! image in 1 r32f 2d-array 10 6 2 1 range 0 1
//! image in 2 rgba8 2d-array 10 6 3 1
//! image out 3 rgba32f 2d 10 6 1 1 ulp 8
//! image out 4 r32f 2d 10 6 1 1 ulp 4
//! groups 3 2 1
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) uniform sampler2DMS colour;
layout(binding = 1) uniform texture2DMS depths[2];
layout(binding = 2) uniform texture2DArray layers;
layout(binding = 3, rgba32f) uniform writeonly image2D resolved;
layout(binding = 4, r32f) uniform writeonly image2D nearest;
vec4 resolve(sampler2DMS from, ivec2 at, uint count)
{
    vec4 sum = vec4(0.0);
    for (uint i = 0u; i < count; i++)
        sum += texelFetch(from, at, int(i));
    return sum / float(count);
}
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, textureSize(colour))))
        return;
    imageStore(resolved, at, resolve(colour, at, 4u) + texelFetch(layers, ivec3(at, 2), 0));
    float least = min(texelFetch(depths[0], at, 0).x, texelFetch(depths[0], at, 1).x);
    imageStore(nearest, at, vec4(min(least, texelFetch(depths[1], at, at.x & 1).x)));
}
