/* Reductions and scans of subgroups beside cooperative matrices; the last subgroup of a group has 16 work-items. */
//! in 0 f32 160 range -4 4
//! in 1 u32 160
//! out 2 f32 1600 abs 1e-4 rel 1e-5
//! out 3 u32 3200
//! in 4 f16 512 range -1 1
//! out 5 f32 512 abs 1e-3
//! groups 2 1 1
//! twin coop_sums.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 80) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
layout(std430, binding = 4) readonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { float f[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float x = a[i];
    uint y = b[i];
    int z = int(y);
    vec2 v = vec2(x, x * 0.5);
    uint16_t s = uint16_t(y);

    c[i * 10u] = subgroupAdd(x);
    c[i * 10u + 1u] = subgroupMin(x);
    c[i * 10u + 2u] = subgroupMax(x);
    c[i * 10u + 3u] = subgroupInclusiveAdd(x);
    c[i * 10u + 4u] = subgroupExclusiveAdd(x);
    c[i * 10u + 5u] = subgroupExclusiveMin(x);
    c[i * 10u + 6u] = subgroupInclusiveMax(v.yx).x;
    c[i * 10u + 7u] = subgroupClusteredAdd(x, 8u);
    v = subgroupAdd(v);
    c[i * 10u + 8u] = v.x;
    c[i * 10u + 9u] = v.y;
    d[i * 20u] = subgroupAdd(y);
    d[i * 20u + 1u] = subgroupMul(y | 1u);
    d[i * 20u + 2u] = subgroupMin(y);
    d[i * 20u + 3u] = subgroupMax(y);
    d[i * 20u + 4u] = uint(subgroupMin(z));
    d[i * 20u + 5u] = uint(subgroupMax(z));
    d[i * 20u + 6u] = subgroupAnd(y | 0xffffff00u);
    d[i * 20u + 7u] = subgroupOr(y & 0x01010101u << (y & 7u));
    d[i * 20u + 8u] = subgroupXor(y);
    d[i * 20u + 9u] = subgroupInclusiveAdd(y);
    d[i * 20u + 10u] = subgroupExclusiveAdd(y);
    d[i * 20u + 11u] = subgroupExclusiveMul(y | 1u);
    d[i * 20u + 12u] = uint(subgroupExclusiveMin(z));
    d[i * 20u + 13u] = uint(subgroupInclusiveMax(z));
    d[i * 20u + 14u] = subgroupClusteredXor(y, 4u);
    d[i * 20u + 15u] = subgroupClusteredMax(y, 32u);
    d[i * 20u + 16u] = subgroupAnd((y & 3u) != 0u) ? 1u : 0u;
    d[i * 20u + 17u] = subgroupInclusiveOr((y & 15u) == 0u) ? 1u : 0u;
    d[i * 20u + 18u] = subgroupExclusiveXor((y & 1u) == 0u) ? 1u : 0u;
    d[i * 20u + 19u] = gl_NumSubgroups * 256u + gl_SubgroupID * 64u + gl_SubgroupInvocationID;

    /* The first subgroup's sums scale a matrix. */
    float scale = subgroupMax(float(gl_SubgroupInvocationID)) * 0.125;
    if (gl_SubgroupID == 0u) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> m;
        coopMatLoadNV(m, e, gl_WorkGroupID.x * 256u, 16, false);
        fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> w = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(m) * scale;
        coopMatStoreNV(w, f, gl_WorkGroupID.x * 256u, 16, false);
    }
}
