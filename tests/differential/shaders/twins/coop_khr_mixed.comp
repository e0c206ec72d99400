/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { uint8_t a[]; };
layout(std430, binding = 1) readonly buffer B { uint8_t b[]; };
layout(std430, binding = 2) buffer C { int c[]; };
void main()
{
    uint i = gl_LocalInvocationID.x;
    int s  = c[i];
    for (uint k = 0; k < 16u; k++)
        s += int(uint(a[i / 8u * 16u + k])) * int(int8_t(b[k * 8u + i % 8u]));
    c[i] = s;
}
