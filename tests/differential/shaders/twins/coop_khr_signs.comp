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
    int s  = 0, before = c[i];
    for (uint k = 0; k < 32u; k++)
        s += int(int8_t(a[i / 8u * 32u + k])) * int(uint(b[k * 8u + i % 8u]));
    int sum = before + s;
    if (before > 0 && s > 0 && sum < 0)
        sum = 2147483647;
    if (before < 0 && s < 0 && sum >= 0)
        sum = -2147483647 - 1;
    c[i] = sum;
}
