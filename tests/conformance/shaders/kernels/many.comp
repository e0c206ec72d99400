#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Writes its many arguments.
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer Result { uint64_t values[]; } result;
layout(push_constant) uniform Arguments { uint64_t n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14; };

void main()
{
    uint64_t all[15] = uint64_t[](n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14);
    for (uint i = 0; i < 15; i++)
        result.values[i] = all[i];
}
