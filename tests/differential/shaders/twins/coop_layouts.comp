/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) readonly buffer C { float before[8]; float c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    uint i  = gl_LocalInvocationID.x, row = i / 16u, column = i % 16u;
    float s = c[4u + row * 20u + column], t = 0.0;

    for (uint k = 0; k < 16u; k++) {
        float x     = float(a[k * 40u + row]);
        uint at     = k * 16u + column;
        uint bits   = b[at / 2u] >> at % 2u * 16u & 0xffffu;
        float y     = (bits & 0x7c00u) == 0x7c00u ? 1.0 : clamp(unpackHalf2x16(bits).x, -1.0, 1.0);
        s += x * float(a[column * 40u + k]);
        t += x * y;
    }
    d[column * 16u + row] = s;
    d[256u + i]           = t;
}
