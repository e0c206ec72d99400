/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
struct block { uint16_t scale; uint8_t q[16]; };
layout(std430, binding = 0) readonly buffer A { block a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
float decoded(uint first, uint row, uint column)
{
    uint at    = first + row * 2u + column / 32u;
    uint byte  = uint(a[at].q[column & 15u]);
    uint digit = (column % 32u < 16u ? byte : byte >> 4) & 15u;
    return float((float16_t(digit) - float16_t(8)) * float16_t(float(uint(a[at].scale) & 255u) / 512.0));
}
void main()
{
    for (uint i = gl_LocalInvocationIndex; i < 320u; i += 64u) {
        uint row  = i / 16u + 20u;
        float sum = 0.0;
        for (uint k = 0u; row < 38u && k < 64u; k++)
            sum += decoded(4u, row, k) * float(b[k % 32u * 16u + i % 16u]);
        c[i]        = sum;
        c[320u + i] = decoded(0u, 3u + i % 10u, 16u + i / 10u);
    }
}
