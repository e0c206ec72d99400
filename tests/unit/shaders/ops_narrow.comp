#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Integers of 8, 16 and 64 bits: they wrap at their own width.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { u64vec2 operands[]; };
layout(std430, binding = 1) writeonly buffer Results8 { uint8_t results8[]; };
layout(std430, binding = 2) writeonly buffer Results16 { int16_t results16[]; };
layout(std430, binding = 3) writeonly buffer Results64 { uint64_t results64[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(operands.length()))
        return;
    uint64_t a = operands[i].x, b = operands[i].y;
    int64_t c = int64_t(a), d = int64_t(b);
    uint at = 32u * i;

    results64[at + 0u] = a + b;
    results64[at + 1u] = a - b;
    results64[at + 2u] = a * b;
    results64[at + 3u] = a / b;
    results64[at + 4u] = a % b;
    results64[at + 5u] = uint64_t(c / d);
    results64[at + 6u] = uint64_t(c % d);
    results64[at + 7u] = a << (b & 63ul);
    results64[at + 8u] = a >> (b & 63ul);
    results64[at + 9u] = uint64_t(c >> (d & 63l));
    results64[at + 10u] = uint64_t(a < b) | uint64_t(c < d) << 1 | uint64_t(c >= d) << 2 | uint64_t(a == b) << 3;
    results64[at + 11u] = uint64_t(min(c, d)) ^ max(a, b);
    results64[at + 12u] = uint64_t(abs(c)) + uint64_t(sign(d));
    results64[at + 13u] = uint64_t(-c) ^ ~a;
    results64[at + 14u] = uint64_t(int64_t(int(a))) + uint64_t(uint(b));
    results64[at + 15u] = uint64_t(int64_t(int8_t(a))) ^ uint64_t(uint16_t(b));

    uint16_t e = uint16_t(a), f = uint16_t(b);
    int16_t g = int16_t(a), h = int16_t(b);
    results16[at + 0u] = int16_t(e + f);
    results16[at + 1u] = int16_t(e - f);
    results16[at + 2u] = int16_t(e * f);
    results16[at + 3u] = int16_t(e / f);
    results16[at + 4u] = int16_t(e % f);
    results16[at + 5u] = g / h;
    results16[at + 6u] = g % h;
    results16[at + 7u] = g * h;
    results16[at + 8u] = int16_t(e << (f & 15us));
    results16[at + 9u] = int16_t(e >> (f & 15us));
    results16[at + 10u] = g >> (h & 15s);
    results16[at + 11u] = int16_t(uint(e < f) | uint(g < h) << 1 | uint(g >= h) << 2 | uint(e == f) << 3);
    results16[at + 12u] = min(g, h);
    results16[at + 13u] = int16_t(max(e, f));
    results16[at + 14u] = abs(g);
    results16[at + 15u] = -g;
    results16[at + 16u] = ~g;
    results16[at + 17u] = sign(g);
    results16[at + 18u] = clamp(g, int16_t(-300), int16_t(300));
    results16[at + 19u] = g < h ? g : h;

    uint8_t j = uint8_t(a), k = uint8_t(b);
    int8_t l = int8_t(a), m = int8_t(b);
    results8[at + 0u] = j + k;
    results8[at + 1u] = j - k;
    results8[at + 2u] = j * k;
    results8[at + 3u] = j / k;
    results8[at + 4u] = j % k;
    results8[at + 5u] = uint8_t(l / m);
    results8[at + 6u] = uint8_t(l % m);
    results8[at + 7u] = uint8_t(l * m);
    results8[at + 8u] = j << (k & uint8_t(7));
    results8[at + 9u] = j >> (k & uint8_t(7));
    results8[at + 10u] = uint8_t(l >> (m & int8_t(7)));
    results8[at + 11u] = uint8_t(uint(j < k) | uint(l < m) << 1 | uint(l >= m) << 2 | uint(j == k) << 3);
    results8[at + 12u] = uint8_t(min(l, m));
    results8[at + 13u] = max(j, k);
    results8[at + 14u] = uint8_t(abs(l));
    results8[at + 15u] = uint8_t(-l);
    results8[at + 16u] = ~j;
    results8[at + 17u] = uint8_t(sign(l));
    u8vec4 v = u8vec4(j, k, j ^ k, j + k);
    v = v.wzyx * u8vec4(3, 5, 7, 9) + v;
    results8[at + 18u] = v.x ^ v.y ^ v.z ^ v.w;
    results8[at + 19u] = uint8_t(pack32(v) >> 8);
}
