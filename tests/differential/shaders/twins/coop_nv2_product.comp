/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 48) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) buffer C { float c[]; };
layout(std430, binding = 3) readonly buffer S { float s[]; };
void main()
{
    for (uint i = gl_LocalInvocationIndex; i < 960u; i += 48u) {
        float sum = 1.5;
        for (uint k = 0u; k < 20u; k++) {
            float16_t x = a[i / 40u * 20u + k];
            float y     = float(b[i % 40u * 20u + k]);
            sum += float(x) * y;
            x *= float16_t(0.5);
            sum += float(x) * y;
            x *= float16_t(0.5);
            sum += float(x) * y;
        }
        c[80u + i] = sum + s[i % 40u] * sum;
    }
}
