/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { float16_t d[]; };
layout(std430, binding = 4) writeonly buffer E { float e[]; };
float changed(uint i)
{
    uint row = i / 16u;
    return row >= 18u ? b[i] : a[i] * 3.0 + float(row) - 0.25 * float(i % 16u);
}
void main()
{
    uint t = gl_LocalInvocationIndex;
    for (uint i = t; i < 320u; i += 32u) {
        c[i] = changed(i);
        d[i] = float16_t(changed(i));
    }
    for (uint i = t; i < 400u; i += 32u) {
        float sum = 0.0;
        for (uint k = 0u; k < 16u; k++)
            sum += float(float16_t(changed(i / 20u * 16u + k))) * float(float16_t(b[i % 20u * 16u + k]));
        e[i] = abs(sum);
    }
}
