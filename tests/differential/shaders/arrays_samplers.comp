// Arrays of images and of samplers, combined by indices of their own; gathers, fetches and queries.
//! image in 0 rgba32f 2d 8 8 1 3 range 0 1
//! image in 0 rgba32f 2d 16 4 1 1 range 0 1
//! sampler 1 linear nearest clamp
//! sampler 1 nearest nearest repeat
//! sampler 1 linear linear border white
//! out 2 f32 256 abs 1e-3 rel 1e-3 filter 28
//! out 3 f32 256 abs 1e-3 rel 1e-3
//! groups 1 1 1
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture2D images[2];
layout(binding = 1) uniform sampler ways[3];
layout(std430, binding = 2) buffer Out { vec4 y[]; };
layout(std430, binding = 3) buffer More { vec4 z[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec2 at = vec2(i % 8u, i / 8u) / 6.0 - 0.1;
    vec4 sum = vec4(0);
    for (uint k = 0; k < 2; k++)
        for (uint s = 0; s < 3; s++)
            sum += textureLod(sampler2D(images[k], ways[s]), at, 0.0) * float(k * 3u + s + 1u);
    y[i] = sum;
    z[i] = textureGather(sampler2D(images[1], ways[1]), at, 2) + texelFetch(images[0], ivec2(i % 4u, i / 16u), 1) +
           vec4(textureSize(images[1], 0), textureQueryLevels(images[0]), 0.0);
}
