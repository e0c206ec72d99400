// Each operator on int. (Some Vulkan drivers take the sign of % from the wrong side, so both are positive.)
//! in 0 i32 512 special
//! in 1 i32 512 special
//! out 2 i32 10240
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) readonly buffer B { int bs[]; };
layout(std430, binding = 2) writeonly buffer C { int c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 20u;
    int x = a[i];
    int b = bs[i];
    int y = b;
    if (y == int(0) || y == int(-1))
        y = int(7);
    int shift = b & int(31);
    c[o + 0u] = x + b;
    c[o + 1u] = x - b;
    c[o + 2u] = x * b;
    c[o + 3u] = x / y;
    c[o + 4u] = (x & int(2147483647)) % (y & int(63) | int(1));
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
    c[o + 17u] = int(x == b) + int(x != y) * int(2) + int(x <= y) * int(4) + int(x > y) * int(8);
    c[o + 18u] = abs(x);
    c[o + 19u] = sign(x);
}
