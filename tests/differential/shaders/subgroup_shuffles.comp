// Shuffles within a subgroup that come out the same for every size.
//! in 0 f32 256 range -4 4
//! in 1 i32 256
//! out 2 f32 512
//! out 3 i32 512
//! groups 4 1 1
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { int b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { int d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, me = gl_SubgroupInvocationID;
    float x = a[i];
    int y = b[i];
    c[i * 2u] = subgroupShuffle(x, me);
    vec3 v = vec3(x, x * 2.0, -x);
    c[i * 2u + 1u] = subgroupShuffleXor(v, 0u).y + (subgroupMax(x) >= x ? 1.0 : 0.0);
    d[i * 2u] = subgroupShuffleUp(y, 0u) + subgroupShuffleDown(y, 0u);
    ivec2 pair = ivec2(y, ~y);
    d[i * 2u + 1u] = subgroupInclusiveXor(pair).y ^ subgroupExclusiveXor(pair).y;
}
