// Operations of a subgroup whose outcome is the same for subgroups of every size, 1 too.
//! in 0 u32 512
//! inout 1 u32 16 range 0 0
//! out 2 u32 512
//! groups 8 1 1
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = a[i];
    uint sum = subgroupAdd(x);
    uint lowest = subgroupMin(x), highest = subgroupMax(x);
    uint ands = subgroupAnd(x), ors = subgroupOr(x), xors = subgroupXor(x);
    uint active_ = subgroupBallotBitCount(subgroupBallot(true));
    if (subgroupElect()) {
        atomicAdd(b[0], sum);
        atomicXor(b[1], xors);
        atomicOr(b[2], ors);
        atomicMax(b[3], highest);
        atomicMax(b[4], ~lowest);
        atomicOr(b[5], ~ands);
        atomicAdd(b[6], active_);
    }
    uint ok = 0u;
    ok |= subgroupInclusiveAdd(x) - subgroupExclusiveAdd(x) == x ? 1u : 0u;
    ok |= subgroupAny(x == highest) ? 2u : 0u;
    ok |= subgroupAll(x <= highest) ? 4u : 0u;
    ok |= subgroupAllEqual(sum) ? 8u : 0u;
    ok |= subgroupBroadcastFirst(sum) == sum ? 16u : 0u;
    ok |= gl_SubgroupInvocationID < gl_SubgroupSize ? 32u : 0u;
    ok |= gl_NumSubgroups * gl_SubgroupSize >= 64u ? 64u : 0u;
    ok |= gl_SubgroupID < gl_NumSubgroups ? 128u : 0u;
    ok |= subgroupInverseBallot(subgroupBallot(x > 7u)) == (x > 7u) ? 256u : 0u;
    ok |= subgroupBallotBitExtract(subgroupBallot(x > 9u), gl_SubgroupInvocationID) == (x > 9u) ? 512u : 0u;
    ok |= subgroupBroadcast(highest, 0u) == highest ? 1024u : 0u;
    ok |= (gl_SubgroupEqMask & gl_SubgroupLeMask) == gl_SubgroupEqMask ? 2048u : 0u;
    ok |= (gl_SubgroupLtMask | gl_SubgroupEqMask) == gl_SubgroupLeMask ? 4096u : 0u;
    ok |= subgroupMul(1u) == 1u ? 8192u : 0u;
    ok |= subgroupExclusiveMin(x) >= lowest ? 16384u : 0u;
    ok |= subgroupInclusiveMax(x) >= x ? 32768u : 0u;
    subgroupBarrier();
    subgroupMemoryBarrier();
    c[i] = ok;
}
