// Arrays of sampled images and of storage images whose numbers the launch gives.
//! image in 0 rgba32f 2d 8 8 1 1 range 0 1
//! image in 0 rgba32f 2d 4 8 1 1 range 0 1
//! image in 0 rgba32f 2d 16 2 1 1 range 0 1
//! sampler 0 linear nearest clamp
//! sampler 0 nearest nearest repeat
//! sampler 0 linear nearest mirror
//! image inout 1 r32f 2d 64 1 1 1
//! image inout 1 r32f 2d 64 1 1 1
//! out 2 f32 256 abs 1e-3 rel 1e-3 filter 2
//! groups 1 1 1
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D textures[];
layout(binding = 1, r32f) uniform image2D images[];
layout(std430, binding = 2) buffer Out { vec4 y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint k = i % 3u;
    y[i] = textureLod(textures[nonuniformEXT(k)], vec2(i % 8u, i / 8u) / 7.0 - 0.1, 0.0);
    float old = imageLoad(images[nonuniformEXT(i & 1u)], ivec2(i, 0)).x;
    imageStore(images[nonuniformEXT(i & 1u)], ivec2(i, 0), vec4(old * 2.0));
}
