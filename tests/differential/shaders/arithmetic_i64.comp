// Each operator on int64_t. (Some Vulkan drivers take the sign of % from the wrong side, so both are
// positive.)
//! in 0 i64 512 special
//! in 1 i64 512 special
//! out 2 i64 10240
//! groups 8 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int64_t a[]; };
layout(std430, binding = 1) readonly buffer B { int64_t bs[]; };
layout(std430, binding = 2) writeonly buffer C { int64_t c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 20u;
    int64_t x = a[i];
    int64_t b = bs[i];
    int64_t y = b;
    if (y == int64_t(0) || y == int64_t(-1))
        y = int64_t(7);
    int64_t shift = b & int64_t(63);
    c[o + 0u] = x + b;
    c[o + 1u] = x - b;
    c[o + 2u] = x * b;
    c[o + 3u] = x / y;
    c[o + 4u] = (x & int64_t(9223372036854775807L)) % (y & int64_t(63) | int64_t(1));
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
    c[o + 17u] = int64_t(x == b) + int64_t(x != y) * int64_t(2) + int64_t(x <= y) * int64_t(4) + int64_t(x > y) * int64_t(8);
    c[o + 18u] = abs(x);
    c[o + 19u] = sign(x);
}
