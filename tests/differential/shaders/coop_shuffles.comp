/* Shuffles, broadcasts and quads of subgroups beside cooperative matrices. */
//! in 0 f32 192 range -4 4
//! in 1 u32 192
//! out 2 f32 1152
//! out 3 u32 1536
//! in 4 f16 256 range -1 1
//! out 5 f32 256 abs 1e-3
//! groups 3 1 1
//! twin coop_shuffles.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
layout(std430, binding = 4) readonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { float f[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, lane = gl_SubgroupInvocationID;
    float x = a[i];
    uint y = b[i];
    vec3 v = vec3(x, x + 1.0, x * 2.0);
    bool odd = (y & 1u) != 0u;

    c[i * 6u] = subgroupBroadcast(x, 7u);
    c[i * 6u + 1u] = subgroupBroadcastFirst(x);
    v = subgroupShuffle(v, y & 31u);
    c[i * 6u + 2u] = v.x;
    c[i * 6u + 3u] = v.z;
    float up = subgroupShuffleUp(x, 3u), down = subgroupShuffleDown(x, 5u);
    c[i * 6u + 4u] = lane >= 3u ? up : 0.0;
    c[i * 6u + 5u] = lane < 27u ? down : 0.0;
    d[i * 8u] = subgroupShuffleXor(y, 5u);
    d[i * 8u + 1u] = subgroupShuffleXor(y, 16u);
    d[i * 8u + 2u] = subgroupQuadBroadcast(y, 2u);
    d[i * 8u + 3u] = subgroupQuadSwapHorizontal(y);
    d[i * 8u + 4u] = subgroupQuadSwapVertical(y);
    d[i * 8u + 5u] = subgroupQuadSwapDiagonal(y);
    d[i * 8u + 6u] = subgroupShuffle(odd, 31u - lane) ? 1u : 0u;
    /* The odd ones among themselves: the first of them. */
    uint first = 0u;
    if (odd)
        first = subgroupBroadcastFirst(y);
    d[i * 8u + 7u] = first;

    float scale = subgroupShuffle(float(lane), 12u);
    fcoopmatNV<16, gl_ScopeSubgroup, 8, 8> m;
    uint at = (gl_WorkGroupID.x * 2u + gl_SubgroupID) * 64u;
    if (at < 256u) {
        coopMatLoadNV(m, e, at, 8, false);
        coopMatStoreNV(fcoopmatNV<32, gl_ScopeSubgroup, 8, 8>(m) * scale, f, at, 8, false);
    }
}
