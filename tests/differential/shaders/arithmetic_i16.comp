// Each operator on int16_t. (Some Vulkan drivers take the sign of % from the wrong side, so both are
// positive.)
//! in 0 i16 512 special
//! in 1 i16 512 special
//! out 2 i16 10240
//! groups 8 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int16_t a[]; };
layout(std430, binding = 1) readonly buffer B { int16_t bs[]; };
layout(std430, binding = 2) writeonly buffer C { int16_t c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 20u;
    int16_t x = a[i];
    int16_t b = bs[i];
    int16_t y = b;
    if (y == int16_t(0) || y == int16_t(-1))
        y = int16_t(7);
    int16_t shift = b & int16_t(15);
    c[o + 0u] = x + b;
    c[o + 1u] = x - b;
    c[o + 2u] = x * b;
    c[o + 3u] = x / y;
    c[o + 4u] = (x & int16_t(32767)) % (y & int16_t(63) | int16_t(1));
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
    c[o + 17u] = int16_t(x == b) + int16_t(x != y) * int16_t(2) + int16_t(x <= y) * int16_t(4) + int16_t(x > y) * int16_t(8);
    c[o + 18u] = abs(x);
    c[o + 19u] = sign(x);
}
