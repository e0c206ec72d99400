// Each operator on uint.
//! in 0 u32 512 special
//! in 1 u32 512 special
//! out 2 u32 9216
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { uint bs[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 18u;
    uint x = a[i];
    uint b = bs[i];
    uint y = b;
    if (y == uint(0))
        y = uint(7);
    uint shift = b & uint(31);
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
    c[o + 17u] = uint(x == b) + uint(x != y) * uint(2) + uint(x <= y) * uint(4) + uint(x > y) * uint(8);
}
