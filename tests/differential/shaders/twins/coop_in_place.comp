/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 512) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) buffer C { float c[]; };

void main()
{
    uint i = gl_LocalInvocationID.x, at = i / 256u * 256u, rounds = i < 256u ? 3u : 1u;
    float s = c[i];

    for (uint round = 0; round < rounds; round++)
        for (uint k = 0; k < 16u; k++)
            s += float(a[at + i % 256u / 16u * 16u + k]) * float(b[k * 16u + i % 16u]);
    c[i] = s;
}
