// Each operator on uint64_t.
//! in 0 u64 512 special
//! in 1 u64 512 special
//! out 2 u64 9216
//! groups 8 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint64_t a[]; };
layout(std430, binding = 1) readonly buffer B { uint64_t bs[]; };
layout(std430, binding = 2) writeonly buffer C { uint64_t c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 18u;
    uint64_t x = a[i];
    uint64_t b = bs[i];
    uint64_t y = b;
    if (y == uint64_t(0))
        y = uint64_t(7);
    uint64_t shift = b & uint64_t(63);
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
    c[o + 17u] = uint64_t(x == b) + uint64_t(x != y) * uint64_t(2) + uint64_t(x <= y) * uint64_t(4) + uint64_t(x > y) * uint64_t(8);
}
