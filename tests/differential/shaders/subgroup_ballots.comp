// Ballots, votes and reductions of every type, summed up so that the size of a subgroup does not matter.
//! in 0 i32 256 range 0 100
//! inout 1 u32 8 range 0 0
//! out 2 u32 256
//! groups 4 1 1
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    int x = a[i];
    float f = float(x);
    uvec4 all_ = subgroupBallot(true), odd = subgroupBallot((x & 1) != 0);
    int sum = subgroupAdd(x);
    float float_sum = subgroupAdd(f);
    int smallest = subgroupMin(x);
    float largest = subgroupMax(f);
    vec2 both = subgroupMin(vec2(f, -f));
    if (subgroupElect()) {
        atomicAdd(b[0], uint(sum));
        atomicAdd(b[1], uint(float_sum));
        atomicMax(b[2], uint(100 - smallest));
        atomicMax(b[3], uint(largest));
        atomicAdd(b[4], subgroupBallotBitCount(odd));
        atomicMax(b[5], uint(-both.y));
    }
    uint ok = 0u;
    ok |= subgroupBallotFindLSB(all_) == 0u ? 1u : 0u;
    ok |= subgroupBallotFindMSB(all_) == gl_SubgroupSize - 1u ? 2u : 0u;
    ok |= subgroupBallotInclusiveBitCount(all_) == gl_SubgroupInvocationID + 1u ? 4u : 0u;
    ok |= subgroupBallotExclusiveBitCount(all_) == gl_SubgroupInvocationID ? 8u : 0u;
    ok |= subgroupAllEqual(float_sum) ? 16u : 0u;
    ok |= subgroupInclusiveAdd(f) >= f ? 32u : 0u;
    ok |= subgroupExclusiveAdd(f) <= float_sum ? 64u : 0u;
    ok |= subgroupAnd(x <= 100) ? 128u : 0u;
    ok |= subgroupOr(x == smallest) ? 256u : 0u;
    ok |= subgroupXor(false) ? 0u : 512u;
    ok |= subgroupInclusiveMin(x) >= smallest ? 1024u : 0u;
    ok |= subgroupInclusiveMul(1.0) == 1.0 ? 2048u : 0u;
    ok |= (gl_SubgroupGtMask & gl_SubgroupLeMask) == uvec4(0) ? 4096u : 0u;
    ok |= (gl_SubgroupGeMask & gl_SubgroupEqMask) == gl_SubgroupEqMask ? 8192u : 0u;
    c[i] = ok;
}
