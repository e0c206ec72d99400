/* Operations of subgroups beside cooperative matrices in loops and branches that subgroups, and work-items of one
 * subgroup, leave one by one. */
//! in 0 u32 200 range 0 30
//! in 1 f32 1024 range -2 2
//! out 2 f32 64 abs 1e-4 rel 1e-5
//! out 3 u32 1000
//! in 4 f16 256 range -1 1
//! out 5 f32 256 abs 1e-3
//! push u32 32
//! groups 2 1 1
//! twin coop_divergent.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 100) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
layout(std430, binding = 4) readonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { float f[]; };
layout(push_constant) uniform Arguments { uint rows; };

/* Leaves early. */
uint climb(uint x)
{
    uint sum = 0u;
    for (uint k = 0u; k < 20u; k++) {
        if (x + k > 40u)
            return sum + k * 1000u;
        sum += subgroupBallotBitCount(subgroupBallot((x + k & 3u) == 0u));
    }
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, lane = gl_SubgroupInvocationID, group = gl_WorkGroupID.x;
    uint x = a[i];

    /* A row for each subgroup in turn; the last subgroup has four work-items. */
    for (uint row = gl_SubgroupID; row < rows; row += gl_NumSubgroups) {
        float sum = 0.0;
        for (uint k = lane; k < 16u; k += 4u)
            if (lane < 4u)
                sum += b[(group * 32u + row) * 16u + k];
        sum = subgroupAdd(sum);
        if (subgroupElect())
            c[group * 32u + row] = sum;
    }

    /* Each has its own number of rounds. */
    uint rounds = 0u, seen = 0u, left = x;
    while (left > 0u) {
        seen += subgroupAdd(left);
        if (subgroupMax(left) == 3u) {
            seen += 100000u;
            break;
        }
        if ((left & 7u) == 5u) {
            left -= 2u;
            rounds += 16u;
            continue;
        }
        seen ^= subgroupBallot(left > 9u).x;
        left--;
        rounds++;
    }
    d[i * 5u] = rounds;
    d[i * 5u + 1u] = seen;
    d[i * 5u + 2u] = climb(x);

    /* Loops in loops and both sides of a branch. */
    uint total = 0u, which = 0u;
    for (uint k = 0u; k < (x & 3u); k++) {
        for (uint j = 0u; j <= k + (x >> 4u); j++)
            total += subgroupExclusiveAdd(j + 1u);
        if ((x & 4u) != 0u) {
            which = k + 1u;
            total += subgroupMin(x + k);
        } else {
            which = 7u;
            total ^= subgroupMax(x * 8u);
        }
    }
    d[i * 5u + 3u] = total;
    d[i * 5u + 4u] = which;

    float scale = subgroupMax(gl_SubgroupID == 0u ? 2.5 : 1.0);
    if (gl_SubgroupID == 0u && group == 0u) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> m;
        coopMatLoadNV(m, e, 0, 16, false);
        coopMatStoreNV(fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(m) * scale, f, 0, 16, false);
    }
}
