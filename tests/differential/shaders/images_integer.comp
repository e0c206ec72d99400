#version 450
// Sampled images of integers: every address mode, gathers of each component, all dimensions. Gathers keep 1/50 texel away from the
// edges of their four texels, since GPUs round coordinates to 1/256.
//! image in 0 rgba32ui 2d 15 9 1 1
//! image in 1 rg16i 2d-array 15 9 3 1
//! image in 2 r8ui 3d 7 6 5 1
//! image in 3 r32i 1d 33 1 1 2
//! sampler 0 nearest nearest mirror
//! sampler 1 nearest nearest repeat
//! sampler 2 nearest nearest border black
//! sampler 3 nearest nearest border white
//! in 4 f32 512 range -1.7 2.6
//! out 5 u32 512
//! out 6 i32 512
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform usampler2D a;
layout(binding = 1) uniform isampler2DArray b;
layout(binding = 2) uniform usampler3D c;
layout(binding = 3) uniform isampler1D d;
layout(std430, binding = 4) readonly buffer In { vec4 given[]; };
layout(std430, binding = 5) buffer One { uvec4 one[]; };
layout(std430, binding = 6) buffer Two { ivec4 two[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i], to = (floor(at * 180.0) + 0.4) / 180.0;
    one[i] = textureLod(a, at.xy, 0.0) * 3u + textureGather(a, to.zw, 2) + textureLod(c, at.xyz, 0.0) +
             textureGather(a, to.xw, 3).wzyx;
    two[i] = textureLod(b, vec3(at.xy, float(i % 4u)), 0.0) - textureGather(b, vec3(to.xz, 1.0), 1) +
             textureLod(d, at.w, float(i % 2u)) + texelFetch(d, int(i % 16u), 1);
}
