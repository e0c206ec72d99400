#version 450
// What the work-items of a subgroup do together; memory of 8 and 16 bits.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { uint8_t a[]; };
layout(std430, binding = 1) writeonly buffer B { float16_t b[]; };
layout(std430, binding = 2) buffer C { float c; uvec4 d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = uint(a[i]);
    float sum = subgroupAdd(float(x)) + subgroupExclusiveMul(float(x) + 1.0) + subgroupClusteredMax(float(x), 4u);
    uvec4 ballot = subgroupBallot(x > 3u);
    if (subgroupElect())
        atomicAdd(c, sum);
    x += subgroupBallotExclusiveBitCount(ballot) + subgroupBallotFindMSB(ballot);
    x += subgroupShuffle(x, 3u) + subgroupShuffleXor(x, 1u) + subgroupShuffleUp(x, 1u);
    x += subgroupQuadSwapHorizontal(x) + subgroupQuadBroadcast(x, 2u) + subgroupBroadcastFirst(x);
    bool all = subgroupAll(x > 1u) || subgroupAny(x == 0u) || subgroupAllEqual(x) || subgroupInverseBallot(ballot);
    b[i] = float16_t(all ? sum : float(gl_SubgroupInvocationID + gl_SubgroupID * gl_SubgroupSize));
    d[i] = ballot & gl_SubgroupLtMask;
}
