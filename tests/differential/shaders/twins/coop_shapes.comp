/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { float16_t d[]; };

float product(uint N, uint K, uint i)
{
    float s = 0.5;
    for (uint k = 0; k < K; k++)
        s += float(a[i / N * K + k]) * float(b[k * N + i % N]);
    return s;
}

void main()
{
    uint i = gl_LocalInvocationID.x;
    if (i < 128) {
        c[i]       = product(8, 16, i);
        c[128 + i] = product(8, 8, i);
    }
    c[256 + i] = product(32, 16, i);
    barrier();
    memoryBarrierBuffer();
    c[384 + i] = product(8, 16, i);
    d[i]       = float16_t(product(16, 16, i));
}
