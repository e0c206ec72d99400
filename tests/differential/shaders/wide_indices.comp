// Indices of every integer type, and steps through a buffer backwards.
//! in 0 f32 256
//! out 1 f32 1280
//! groups 4 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    int64_t wide = int64_t(i);
    uint16_t narrow = uint16_t(255u - i);
    int8_t tiny = int8_t(i & 127u);
    c[i * 5u] = a[uint(wide)];
    c[i * 5u + 1u] = a[uint(narrow)];
    c[i * 5u + 2u] = a[int(tiny)];
    float sum = 0.0;
    for (int k = 255; k >= int(i); k -= 37)
        sum = sum * 0.5 + a[k];
    c[i * 5u + 3u] = sum;
    c[i * 5u + 4u] = a[(int(i) - 300 + 512) % 256];
}
