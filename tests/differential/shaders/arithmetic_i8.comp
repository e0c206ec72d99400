// Each operator on int8_t. (Some Vulkan drivers take the sign of % from the wrong side, so both are
// positive.)
//! in 0 i8 512 special
//! in 1 i8 512 special
//! out 2 i8 10240
//! groups 8 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int8_t a[]; };
layout(std430, binding = 1) readonly buffer B { int8_t bs[]; };
layout(std430, binding = 2) writeonly buffer C { int8_t c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 20u;
    int8_t x = a[i];
    int8_t b = bs[i];
    int8_t y = b;
    if (y == int8_t(0) || y == int8_t(-1))
        y = int8_t(7);
    int8_t shift = b & int8_t(7);
    c[o + 0u] = x + b;
    c[o + 1u] = x - b;
    c[o + 2u] = x * b;
    c[o + 3u] = x / y;
    c[o + 4u] = (x & int8_t(127)) % (y & int8_t(63) | int8_t(1));
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
    c[o + 17u] = int8_t(x == b) + int8_t(x != y) * int8_t(2) + int8_t(x <= y) * int8_t(4) + int8_t(x > y) * int8_t(8);
    c[o + 18u] = abs(x);
    c[o + 19u] = sign(x);
}
