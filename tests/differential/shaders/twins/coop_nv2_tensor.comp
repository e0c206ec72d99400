/* The same with scalars. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer B { float b[]; };
layout(std430, binding = 2) readonly buffer C { uint8_t c[]; };
layout(std430, binding = 3) buffer D { float d[]; };
int mirrored(int x, int size)
{
    x = x < 0 ? -x : x;
    return x >= size ? 2 * size - 2 - x : x;
}
void main()
{
    for (int i = int(gl_LocalInvocationIndex); i < 128; i += 32) {
        int r = i / 16, q = i % 16;
        b[i]       = r + 6 < 12 && q + 10 < 20 ? a[(r + 6) * 20 + q + 10] : -7.5;
        b[128 + i] = a[max(r - 3, 0) * 20 + min(q + 8, 19)];
        b[256 + i] = a[(r - 5 + 12) % 12 * 20 + (q + 14) % 20];
        b[384 + i] = a[mirrored(r + 7, 12) * 20 + mirrored(q - 6, 20)];
        b[512 + i] = q < 12 ? a[4 + q * 20 + r + 1] : -7.5;
        b[640 + i] = a[i / 32 * 60 + (i / 8 % 4 + 1) * 12 + i % 8 + 3];
        b[768 + i] = a[20 + (i / 32 * 2 + i / 2 % 2) * 20 + 3 + i / 4 % 8 + i % 2 * 8];
        float m    = r >= 2 && r < 6 && q >= 3 && q < 13 ? a[(r - 2) * 20 + q - 3] : -1.25;
        b[896 + i] = m;
        if (i < 64) {
            int at      = 64 + (16 + i) * 4;
            b[1024 + i] = float(uint(c[at]) | uint(c[at + 1]) << 8 | uint(c[at + 2]) << 16 | uint(c[at + 3]) << 24);
        }
        if (r + 7 < 12 && q - 2 >= 0)
            d[(r + 7) * 20 + q - 2] = m;
    }
    barrier();
    for (int i = int(gl_LocalInvocationIndex); i < 128; i += 32) {
        int r = i / 16, q = i % 16;
        float m = r >= 2 && r < 6 && q >= 3 && q < 13 ? a[(r - 2) * 20 + q - 3] : -1.25;
        if (q < 12)
            d[q * 20 + 12 + r] = m;
    }
}
