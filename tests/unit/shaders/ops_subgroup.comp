#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
// Sums over the whole launch do not depend on how large subgroups are; results are those of subgroups of one.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Sums { uint sums[16]; };
layout(std430, binding = 1) readonly buffer Operands { uint operands[]; };
layout(std430, binding = 2) writeonly buffer Results { float results[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, a = operands[i];
    float f = float(a & 255u);
    uint members = subgroupBallotBitCount(subgroupBallot(true));
    uint sum = subgroupAdd(a), least = subgroupMin(a), most = subgroupMax(a);
    if (subgroupElect()) {
        atomicAdd(sums[0], sum);
        atomicMin(sums[1], least);
        atomicMax(sums[2], most);
        atomicAdd(sums[3], members);
    }
    atomicAdd(sums[4], subgroupInclusiveAdd(a) - subgroupExclusiveAdd(a));
    atomicAdd(sums[5], subgroupShuffle(a, gl_SubgroupInvocationID));
    atomicAdd(sums[6], uint(subgroupAll(true)) + uint(subgroupAny(false)) + uint(subgroupAllEqual(3.0)));
    atomicAdd(sums[7], subgroupInverseBallot(subgroupBallot((a & 1u) != 0u)) ? 1u : 0u);
    atomicAdd(sums[8], subgroupBroadcast(17u, 0u) + subgroupBroadcastFirst(1u));
    atomicAdd(sums[9], uint(subgroupMul(vec2(1.0)).y) + subgroupAnd(0xffu) + subgroupOr(0x100u));
    atomicAdd(sums[10], subgroupClusteredMax(a, 1u));
    atomicAdd(sums[11], anyInvocationARB(true) ? 1u : 0u);
    atomicAdd(sums[12], subgroupBallotBitExtract(subgroupBallot(true), gl_SubgroupInvocationID) ? 1u : 0u);
    atomicAdd(sums[13], uint(readFirstInvocationARB(2.0)));
    results[i] = subgroupShuffleXor(f, 0u) + subgroupShuffleUp(f, 0u) + subgroupShuffleDown(f, 0u) +
                 (subgroupExclusiveMin(f) > 1e30 ? 0.0 : 1.0) * 1e6 + subgroupClusteredAdd(f, 1u);
}
