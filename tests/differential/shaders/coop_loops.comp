/* Operations of subgroups in loops beside products of cooperative matrices, as in flash attention: the largest sum of
 * each column is subtracted before the exponential. Groups of one subgroup. */
//! in 0 f16 4096 range -1 1
//! in 1 f16 1024 range -1 1
//! inout 2 f32 512 abs 2e-3 rel 2e-3
//! in 3 u32 64 range 0 9
//! out 4 u32 256
//! push u32 8 u32 3
//! groups 2 1 1
//! twin coop_loops.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) buffer C { float c[]; };
layout(std430, binding = 3) readonly buffer D { uint d[]; };
layout(std430, binding = 4) writeonly buffer E { uint e[]; };
layout(push_constant) uniform Arguments { uint blocks; uint skipped; };
shared float tile[256];

void main()
{
    uint lane = gl_SubgroupInvocationID, group = gl_WorkGroupID.x;
    float largest = -1e30, sum = 0.0;
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x, y;

    coopMatLoadNV(y, b, group * 256u, 16, false);
    for (uint j = 0u; j < blocks; j++) {
        if (j == skipped)
            continue;
        fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> s = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
        coopMatLoadNV(x, a, (group * 8u + j) * 256u, 16, false);
        s = coopMatMulAddNV(x, y, s);
        coopMatStoreNV(s, tile, 0, 16, false);
        subgroupBarrier();
        float row = -1e30;
        for (uint k = 0u; k < 8u; k++)
            row = max(row, tile[k * 32u + lane]);
        for (uint step = 16u; step > 0u; step /= 2u)
            row = max(row, subgroupShuffleXor(row, step));
        float before = largest;
        largest = max(largest, row);
        float part = 0.0;
        for (uint k = 0u; k < 8u; k++)
            part += exp(tile[k * 32u + lane] - largest);
        sum = sum * exp(before - largest) + subgroupAdd(part);
        subgroupBarrier();
    }
    c[group * 256u + lane] = largest;
    c[group * 256u + 32u + lane] = sum;
    c[group * 256u + 64u + lane] += subgroupInclusiveAdd(sum);

    /* As long as any has something left. */
    uint left = d[group * 32u + lane], rounds = 0u, total = 0u;
    while (subgroupAny(left > 0u)) {
        total += subgroupBallotBitCount(subgroupBallot(left > 2u)) * (rounds + 1u);
        left = left > 0u ? left - 1u : 0u;
        rounds++;
        if (subgroupAll(left == 1u))
            break;
    }
    e[(group * 32u + lane) * 4u] = rounds;
    e[(group * 32u + lane) * 4u + 1u] = total;

    /* Some skip a round; no device has to wait for them at the end of one, so each begins with a barrier. */
    uint own = d[group * 32u + lane], seen = 0u;
    for (uint k = 0u; k < 10u; k++) {
        subgroupBarrier();
        if (own == k)
            continue;
        seen += subgroupAdd(own + k) * (k + 1u);
    }
    e[(group * 32u + lane) * 4u + 2u] = seen;
    uint chosen = 0u;
    switch (blocks) {
    case 8u:
        chosen = subgroupMax(own + lane);
        break;
    default:
        chosen = subgroupMin(own);
        break;
    }
    e[(group * 32u + lane) * 4u + 3u] = chosen;
}
