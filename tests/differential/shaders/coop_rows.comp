/* As ggml multiplies by the matrices of experts: ballots gather the rows that chose the group's expert, and their
 * product with its matrix goes to the places of those rows. */
//! in 0 u32 192 range 0 3
//! in 1 f16 6144 range -1 1
//! in 2 f16 2048 range -1 1
//! out 3 f32 3072 abs 2e-3
//! push u32 192
//! groups 4 2 1
//! twin coop_rows.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint ids[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) readonly buffer C { float16_t weights[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };
layout(push_constant) uniform Arguments { uint count; };
const uint BN = 32u;
shared uint row_ids[32];
shared uvec4 ballots[2];
shared float16_t rows[16 * 32 * 2];
shared float products[2 * 256];
uint found;

void load_row_ids(uint expert, uint part)
{
    found = 0u;
    uint chosen[4];
    uint iter = 0u;
    for (uint j = 0u; j < count; j += 64u) {
        if (iter == 0u) {
            for (uint k = 0u; k < 4u; k++) {
                uint i = j + gl_LocalInvocationIndex + k * 64u;
                chosen[k] = i < count ? ids[i] : 0u;
            }
        }
        uint i = j + gl_LocalInvocationIndex;
        bool in_range = i < count;
        uint id = chosen[iter++];
        uvec4 ballot = subgroupBallot(in_range && id == expert);
        ballots[gl_SubgroupID] = ballot;
        barrier();
        uint base = 0u, total = 0u;
        for (uint k = 0u; k < gl_NumSubgroups; k++) {
            if (k == gl_SubgroupID)
                base = total;
            total += subgroupBallotBitCount(ballots[k]);
        }
        barrier();
        uint at = found + base + subgroupBallotExclusiveBitCount(ballot);
        if (in_range && id == expert && at >= part * BN && at < (part + 1u) * BN)
            row_ids[at - part * BN] = i;
        found += total;
        iter &= 3u;
        if (found >= (part + 1u) * BN)
            break;
    }
    barrier();
}

void main()
{
    uint expert = gl_WorkGroupID.x, part = gl_WorkGroupID.y, l = gl_LocalInvocationIndex;

    load_row_ids(expert, part);
    if (part * BN >= found)
        return;
    for (uint k = l; k < 32u * 32u; k += 64u) {
        uint row = k / 32u;
        rows[k] = part * BN + row < found ? b[row_ids[row] * 32u + k % 32u] : float16_t(0.0);
    }
    barrier();
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> sum = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
    for (uint k = 0u; k < 32u; k += 16u) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x, y;
        coopMatLoadNV(x, rows, gl_SubgroupID * 512u + k, 32, false);
        coopMatLoadNV(y, weights, expert * 512u + k * 16u, 16, false);
        sum = coopMatMulAddNV(x, y, sum);
    }
    coopMatStoreNV(sum, products, gl_SubgroupID * 256u, 16, false);
    barrier();
    for (uint k = l; k < 512u; k += 64u)
        if (part * BN + k / 16u < found)
            d[row_ids[k / 16u] * 16u + k % 16u] = products[k];
}
