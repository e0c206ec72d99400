/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { int8_t a[]; };
layout(std430, binding = 1) readonly buffer B { int8_t b[]; };
layout(std430, binding = 2) readonly buffer C { uint8_t c[]; };
layout(std430, binding = 3) readonly buffer D { uint8_t d[]; };
layout(std430, binding = 4) readonly buffer E { int e[]; };
layout(std430, binding = 5) writeonly buffer F { int f[]; };
layout(std430, binding = 6) writeonly buffer G { uint g[]; };
layout(std430, binding = 7) writeonly buffer H { int h[]; };

void main()
{
    uint i = gl_LocalInvocationID.x, row = i / 16u, column = i % 16u;
    int s  = e[i], r = -7;
    uint t = 4294967000u;

    for (uint k = 0; k < 32; k++) {
        s += int(a[row * 32u + k]) * int(b[column * 32u + k]);
        t += uint(c[row * 32u + k]) * uint(d[k * 16u + column]);
    }
    f[i] = s;
    g[i] = t;
    if (i < 128) {
        for (uint k = 0; k < 16; k++)
            r += int(a[256u + i / 8u * 16u + k]) * int(b[256u + k * 8u + i % 8u]);
        h[i] = r;
    }
}
