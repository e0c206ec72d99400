/* Ballots and votes of subgroups beside cooperative matrices, also of some of the work-items. */
//! in 0 u32 256 range 0 40
//! out 1 u32 4096
//! in 2 f16 320 range -1 1
//! out 3 f32 256 abs 1e-3
//! groups 4 1 1
//! twin coop_ballots.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 16, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer B { uint b[]; };
layout(std430, binding = 2) readonly buffer C { float16_t c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    uint i = gl_WorkGroupID.x * 64u + gl_LocalInvocationIndex;
    uint x = a[i], lane = gl_SubgroupInvocationID;
    uvec4 odd = subgroupBallot((x & 1u) != 0u);
    uint at = i * 16u;

    b[at] = odd.x;
    b[at + 1u] = odd.y | odd.z | odd.w;
    b[at + 2u] = subgroupAll(x < 39u) ? 1u : 0u;
    b[at + 3u] = subgroupAny(x == 20u) ? 1u : 0u;
    b[at + 4u] = (subgroupAllEqual(x) ? 1u : 0u) + (subgroupAllEqual(vec2(gl_SubgroupID, 2u)) ? 2u : 0u);
    b[at + 5u] = subgroupInverseBallot(uvec4(0x12345678u, 0u, 0u, 0u)) ? 1u : 0u;
    b[at + 6u] = subgroupBallotBitExtract(odd, 31u - lane) ? 1u : 0u;
    b[at + 7u] = subgroupBallotBitCount(odd) + 64u * subgroupBallotInclusiveBitCount(odd) +
                 4096u * subgroupBallotExclusiveBitCount(odd);
    b[at + 8u] = subgroupBallotFindLSB(odd | uvec4(0x40000000u, 0u, 0u, 0u)) +
                 64u * subgroupBallotFindMSB(odd | uvec4(4u, 0u, 0u, 0u));
    b[at + 9u] = gl_SubgroupEqMask.x ^ gl_SubgroupGeMask.x * 3u ^ gl_SubgroupLtMask.x * 7u;
    b[at + 10u] = gl_SubgroupGtMask.x ^ gl_SubgroupLeMask.x * 5u;

    /* Only some come here. */
    uint few = 0u;
    if (x > 12u) {
        few = subgroupBallot(true).x;
        few ^= subgroupAll(x > 12u) ? 0u : 1u;
        if (x > 30u)
            few += subgroupBallotBitCount(subgroupBallot((x & 2u) != 0u)) * 0x01000000u;
        few ^= subgroupAny(x == 13u) ? 2u : 0u;
    } else {
        few = x;
    }
    b[at + 11u] = few;
    b[at + 12u] = subgroupBallot(true).x;

    /* All or none of a subgroup. */
    uint some = 5u;
    if (gl_SubgroupID == 1u)
        some = subgroupBallot(x > 20u).x;
    b[at + 13u] = some;
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> m;
    coopMatLoadNV(m, c, gl_WorkGroupID.x * 64u, 8, false);
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> w = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(m);
    if (gl_SubgroupID == 0u && gl_WorkGroupID.x % 2u == 0u)
        coopMatStoreNV(w, d, gl_WorkGroupID.x * 64u, 8, false);

    /* Some return. */
    b[at + 14u] = 0u;
    b[at + 15u] = 0u;
    if (x < 6u)
        return;
    b[at + 14u] = subgroupBallot(x < 20u).x;
    b[at + 15u] = subgroupBallot(true).x;
}
