/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) readonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    uint at = gl_WorkGroupID.x * 256u, i = gl_LocalInvocationID.x;
    float s = c[at + i];

    for (uint k = 0; k < 16; k++)
        s += float(a[at + i / 16u * 16u + k]) * float(b[at + k * 16u + i % 16u]);
    d[at + i] = s;
}
