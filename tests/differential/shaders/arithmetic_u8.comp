// Each operator on uint8_t.
//! in 0 u8 512 special
//! in 1 u8 512 special
//! out 2 u8 9216
//! groups 8 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint8_t a[]; };
layout(std430, binding = 1) readonly buffer B { uint8_t bs[]; };
layout(std430, binding = 2) writeonly buffer C { uint8_t c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 18u;
    uint8_t x = a[i];
    uint8_t b = bs[i];
    uint8_t y = b;
    if (y == uint8_t(0))
        y = uint8_t(7);
    uint8_t shift = b & uint8_t(7);
    c[o + 0u] = x + b;
    c[o + 1u] = x - b;
    c[o + 2u] = x * b;
    c[o + 3u] = x / y;
    c[o + 4u] = x % y;
    c[o + 5u] = x & b;
    c[o + 6u] = x | b;
    c[o + 7u] = x ^ b;
    c[o + 8u] = ~x;
    c[o + 9u] = x << shift;
    c[o + 10u] = x >> shift;
    c[o + 11u] = -x;
    c[o + 12u] = min(x, b);
    c[o + 13u] = max(x, b);
    c[o + 14u] = clamp(x, min(y, b), max(y, b));
    c[o + 15u] = x < b ? x : b;
    c[o + 16u] = x >= b ? y : x;
    c[o + 17u] = uint8_t(x == b) + uint8_t(x != y) * uint8_t(2) + uint8_t(x <= y) * uint8_t(4) + uint8_t(x > y) * uint8_t(8);
}
