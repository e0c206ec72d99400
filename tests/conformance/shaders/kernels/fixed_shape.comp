#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Writes the shape that it was launched with: groups, group size, bytes of shared memory.
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(std430, binding = 0) writeonly buffer Result { uint64_t values[]; } result;
shared uint scratch[64];

void main()
{
    scratch[gl_LocalInvocationIndex] = gl_LocalInvocationIndex;
    barrier();
    if (gl_WorkGroupID != uvec3(0) || gl_LocalInvocationIndex != 0)
        return;
    for (uint i = 0; i < 3; i++) {
        result.values[i]     = gl_NumWorkGroups[i];
        result.values[3 + i] = gl_WorkGroupSize[i];
    }
    result.values[6] = scratch[63] == 63 ? 256 : 0;
    result.values[7] = 0;
}
