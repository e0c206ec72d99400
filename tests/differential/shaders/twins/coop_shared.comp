/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1024) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

void main()
{
    uint i  = gl_LocalInvocationID.x;
    float s = 0.0;

    for (uint k = 0; k < 128u; k++)
        s += float(a[i / 32u * 128u + k]) * float(b[k * 32u + i % 32u]);
    c[i] = s;
}
