#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_gpu_shader_int64 : require
// Values of all types go through subgroups of 32 and, at the end of a group, of 8, because there is a matrix.
layout(local_size_x = 72) in;
layout(std430, binding = 0) readonly buffer Operands { uint operands[]; };
layout(std430, binding = 1) writeonly buffer Words { uint words[]; };
layout(std430, binding = 2) writeonly buffer Wide { uint64_t wide[]; };
layout(std430, binding = 3) writeonly buffer Doubles { double doubles[]; };

void main()
{
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> matrix;
    uint i = gl_GlobalInvocationID.x, a = operands[i], at = i * 12u;

    if (matrix.length() == 100)
        return;
    words[at] = uint(subgroupAdd(int8_t(a)));
    words[at + 1u] = uint(subgroupMul(uint16_t(a | 1u)));
    words[at + 2u] = uint(subgroupMin(int8_t(a))) & 255u;
    words[at + 3u] = uint(subgroupInclusiveMax(uint16_t(a)));
    words[at + 4u] = uint(float(subgroupAdd(float16_t(a & 31u))));
    words[at + 5u] = uint(subgroupExclusiveMax(int16_t(a))) & 65535u;
    words[at + 6u] = uint(ballotARB((a & 1u) != 0u));
    words[at + 7u] = readInvocationARB(a, 5u);
    words[at + 8u] = readFirstInvocationARB(a);
    words[at + 9u] = (anyInvocationARB((a & 63u) == 0u) ? 1u : 0u) + (allInvocationsARB((a & 63u) != 1u) ? 2u : 0u) +
                     (allInvocationsEqualARB(gl_SubgroupID == 2u) ? 4u : 0u);
    words[at + 10u] = subgroupClusteredAdd(a, 16u);
    words[at + 11u] = subgroupShuffle(a, 9u);
    wide[i * 2u] = subgroupAdd(uint64_t(a) * 0x100000001ul);
    wide[i * 2u + 1u] = uint64_t(subgroupExclusiveMin(int64_t(a) - 0x80000000l));
    doubles[i * 2u] = subgroupAdd(double(a) * 0.5LF);
    doubles[i * 2u + 1u] = subgroupShuffleXor(double(a), 3u);
}
