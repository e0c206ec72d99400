#version 450
// Gathers, fetches and gradients. Gathers keep 1/40 texel away from the edges of their four texels, since GPUs round coordinates
// to 1/256.
//! image in 0 rgba8 2d 16 8 1 1
//! image in 1 rgba32f 2d-array 8 6 3 1 range -1 1
//! image in 2 rgba32f 2d 64 32 1 5 range 0 1
//! sampler 0 linear nearest repeat
//! sampler 1 nearest nearest clamp
//! sampler 2 nearest nearest repeat
//! in 3 f32 512 range -0.9 1.9
//! out 4 f32 512 abs 1e-5
//! out 5 f32 512 abs 1e-5
//! out 6 f32 512 abs 1e-5
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler2DArray b;
layout(binding = 2) uniform sampler2D c;
layout(std430, binding = 3) readonly buffer In { vec4 given[]; };
layout(std430, binding = 4) buffer Out { vec4 one[]; };
layout(std430, binding = 5) buffer Fetched { vec4 two[]; };
layout(std430, binding = 6) buffer Steps { vec4 three[]; };
const ivec2 offsets[4] = ivec2[](ivec2(0, 0), ivec2(3, 1), ivec2(-2, 2), ivec2(1, -4));
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    vec4 to = (floor(at * 96.0) + 0.4) / 96.0;
    one[i] = textureGather(a, to.xy, 2) + textureGatherOffset(a, to.xy, ivec2(1, -2), 1) +
             textureGatherOffsets(a, to.xy, offsets, 0) + textureGather(b, to.xyz, 3);
    two[i] = texelFetch(a, ivec2(at.xy * 10.0), 0) + texelFetch(c, ivec2(at.xy * 40.0), int(i) % 5);
    three[i] = textureGrad(c, at.xy, vec2(1.2 / 64.0, 0.0), vec2(0.0, 0.1 / 32.0)) +
               textureGrad(c, at.xy, vec2(0.0), vec2(0.0, 4.1 / 32.0));
}
