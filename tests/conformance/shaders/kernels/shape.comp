#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Writes the shape that it was launched with: groups, group size; no bytes of shared memory.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, binding = 0) writeonly buffer Result { uint64_t values[]; } result;

void main()
{
    if (gl_WorkGroupID != uvec3(0) || gl_LocalInvocationIndex != 0)
        return;
    for (uint i = 0; i < 3; i++) {
        result.values[i]     = gl_NumWorkGroups[i];
        result.values[3 + i] = gl_WorkGroupSize[i];
    }
    result.values[6] = 0;
    result.values[7] = 0;
}
