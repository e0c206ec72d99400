// Each operator on vectors of int. (Some Vulkan drivers take the sign of % from the wrong side, so both are
// positive.)
//! in 0 i32 512
//! in 1 i32 512 special
//! out 2 i32 1152
//! groups 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { ivec4 a[]; };
layout(std430, binding = 1) readonly buffer B { ivec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { int c[]; };

ivec2 all2(ivec2 x, ivec2 y)
{
    ivec2 d = (y & int(63)) + int(2);
    ivec2 sum = ivec2(0);
    sum = sum * int(5) + (x + y);
    sum = sum * int(5) + (x * y - y);
    sum = sum * int(5) + ((x / d));
    sum = sum * int(5) + (((x & int(2147483647)) % d));
    sum = sum * int(5) + (x & y | ~x);
    sum = sum * int(5) + (x ^ y);
    sum = sum * int(5) + (x << (y & int(31)));
    sum = sum * int(5) + (x >> (y & ivec2(31)));
    sum = sum * int(5) + (-x + int(3));
    sum = sum * int(5) + (min(x, y));
    sum = sum * int(5) + (max(x, y));
    sum = sum * int(5) + (clamp(x, min(x, y), y));
    sum = sum * int(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, equal(x, y)));
    sum = sum * int(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int(5) + (abs(x));
    sum = sum * int(5) + (sign(x));
    return sum;
}

ivec3 all3(ivec3 x, ivec3 y)
{
    ivec3 d = (y & int(63)) + int(2);
    ivec3 sum = ivec3(0);
    sum = sum * int(5) + (x + y);
    sum = sum * int(5) + (x * y - y);
    sum = sum * int(5) + ((x / d));
    sum = sum * int(5) + (((x & int(2147483647)) % d));
    sum = sum * int(5) + (x & y | ~x);
    sum = sum * int(5) + (x ^ y);
    sum = sum * int(5) + (x << (y & int(31)));
    sum = sum * int(5) + (x >> (y & ivec3(31)));
    sum = sum * int(5) + (-x + int(3));
    sum = sum * int(5) + (min(x, y));
    sum = sum * int(5) + (max(x, y));
    sum = sum * int(5) + (clamp(x, min(x, y), y));
    sum = sum * int(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, equal(x, y)));
    sum = sum * int(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int(5) + (abs(x));
    sum = sum * int(5) + (sign(x));
    return sum;
}

ivec4 all4(ivec4 x, ivec4 y)
{
    ivec4 d = (y & int(63)) + int(2);
    ivec4 sum = ivec4(0);
    sum = sum * int(5) + (x + y);
    sum = sum * int(5) + (x * y - y);
    sum = sum * int(5) + ((x / d));
    sum = sum * int(5) + (((x & int(2147483647)) % d));
    sum = sum * int(5) + (x & y | ~x);
    sum = sum * int(5) + (x ^ y);
    sum = sum * int(5) + (x << (y & int(31)));
    sum = sum * int(5) + (x >> (y & ivec4(31)));
    sum = sum * int(5) + (-x + int(3));
    sum = sum * int(5) + (min(x, y));
    sum = sum * int(5) + (max(x, y));
    sum = sum * int(5) + (clamp(x, min(x, y), y));
    sum = sum * int(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, equal(x, y)));
    sum = sum * int(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int(5) + (abs(x));
    sum = sum * int(5) + (sign(x));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec4 four = all4(a[i], b[i]);
    ivec3 three = all3(a[i].xyz, b[i].wzy);
    ivec2 two = all2(a[i].yx, b[i].xy);
    c[i * 9u + 0u] = four.x;
    c[i * 9u + 1u] = four.y;
    c[i * 9u + 2u] = four.z;
    c[i * 9u + 3u] = four.w;
    c[i * 9u + 4u] = three.x;
    c[i * 9u + 5u] = three.y;
    c[i * 9u + 6u] = three.z;
    c[i * 9u + 7u] = two.x;
    c[i * 9u + 8u] = two.y;
}
