/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int8_t a[]; };
layout(std430, binding = 1) readonly buffer B { uint8_t b[]; };
layout(std430, binding = 2) buffer C { int c[]; };
layout(std430, binding = 3) writeonly buffer D { int d[]; };
void main()
{
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += 64u) {
        int sum = c[i];
        for (uint k = 0u; k < 16u; k++)
            sum += int(a[i / 16u * 16u + k]) * int(uint(b[k * 16u + i % 16u]));
        c[i] = sum;
        if (i < 128u)
            d[i % 16u * 8u + i / 16u] = -sum / 7;
    }
}
