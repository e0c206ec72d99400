#version 450
// Arrays of images, samplers and buffers on one binding, as the tables of all descriptors that engines have; two of the buffers
// are views of one.
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_nonuniform_qualifier : require
//! image in 1.0 rgba8 2d 6 6 1 1
//! image in 1.0 rgba8 2d 6 6 1 1
//! image in 1.0 rgba8 2d 6 6 1 1
//! image in 1.5 r32ui 2d 6 6 1 1
//! image in 1.5 r32ui 2d 6 6 1 1
//! image in 1.5 r32ui 2d 6 6 1 1
//! sampler 1.4 nearest nearest clamp
//! sampler 1.4 nearest nearest repeat
//! sampler 1.4 nearest nearest mirror
//! inout 1.6 f32 64 range -2 2
//! inout 1.6 f32 64 range -2 2
//! inout 1.6 f32 64 range -2 2
//! out 1.3 f32 144 ulp 4
//! groups 3 1 1
layout(local_size_x = 16) in;
layout(set = 1, binding = 0) uniform texture2D pictures[3];
layout(set = 1, binding = 0) uniform utexture2D numbers[3];
layout(set = 1, binding = 0) uniform sampler samplers[3];
layout(std430, set = 1, binding = 0) buffer Parts { float x[]; } parts[3];
layout(std430, set = 1, binding = 0) buffer Quads { vec4 x[]; } quads[3];
layout(std430, set = 1, binding = 3) writeonly buffer Seen { float seen[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, k = gl_WorkGroupID.x;
    vec2 at = vec2(i % 13u, i % 7u) / 6.0 + vec2(0.05);
    vec4 texel = textureLod(sampler2D(pictures[k], samplers[k]), at, 0.0);
    uint number = texelFetch(numbers[k], ivec2(i % 6u, i / 6u % 6u), 0).x;
    parts[k].x[(i & 15u) + 48u] = parts[k].x[i & 15u] * 2.0;
    barrier();
    seen[3u * i]      = dot(texel, vec4(1.0, 2.0, 3.0, 4.0));
    seen[3u * i + 1u] = float(number & 0xffffu);
    seen[3u * i + 2u] = quads[k].x[i & 3u].z + float(numbers.length());
}
