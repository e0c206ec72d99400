/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(constant_id = 0) const int M = 16;
layout(constant_id = 1) const int N = 16;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint lengths[]; };

void main()
{
    uint i  = gl_LocalInvocationID.x;
    float s = 0.0;

    for (uint k = 0; k < 16u; k++)
        s += float(a[i / uint(N) * 16u + k]) * float(b[k * uint(N) + i % uint(N)]);
    if (i < uint(M * N))
        c[i] = 1.0 + 3.0 * s;
    if (i < 32u)
        lengths[i] = 1u;
}
