// Each operator on vectors of uint.
//! in 0 u32 512
//! in 1 u32 512 special
//! out 2 u32 1152
//! groups 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uvec4 a[]; };
layout(std430, binding = 1) readonly buffer B { uvec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

uvec2 all2(uvec2 x, uvec2 y)
{
    uvec2 d = (y & uint(63)) + uint(2);
    uvec2 sum = uvec2(0);
    sum = sum * uint(5) + (x + y);
    sum = sum * uint(5) + (x * y - y);
    sum = sum * uint(5) + ((x / d));
    sum = sum * uint(5) + ((x % d));
    sum = sum * uint(5) + (x & y | ~x);
    sum = sum * uint(5) + (x ^ y);
    sum = sum * uint(5) + (x << (y & uint(31)));
    sum = sum * uint(5) + (x >> (y & uvec2(31)));
    sum = sum * uint(5) + (-x + uint(3));
    sum = sum * uint(5) + (min(x, y));
    sum = sum * uint(5) + (max(x, y));
    sum = sum * uint(5) + (clamp(x, min(x, y), y));
    sum = sum * uint(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

uvec3 all3(uvec3 x, uvec3 y)
{
    uvec3 d = (y & uint(63)) + uint(2);
    uvec3 sum = uvec3(0);
    sum = sum * uint(5) + (x + y);
    sum = sum * uint(5) + (x * y - y);
    sum = sum * uint(5) + ((x / d));
    sum = sum * uint(5) + ((x % d));
    sum = sum * uint(5) + (x & y | ~x);
    sum = sum * uint(5) + (x ^ y);
    sum = sum * uint(5) + (x << (y & uint(31)));
    sum = sum * uint(5) + (x >> (y & uvec3(31)));
    sum = sum * uint(5) + (-x + uint(3));
    sum = sum * uint(5) + (min(x, y));
    sum = sum * uint(5) + (max(x, y));
    sum = sum * uint(5) + (clamp(x, min(x, y), y));
    sum = sum * uint(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

uvec4 all4(uvec4 x, uvec4 y)
{
    uvec4 d = (y & uint(63)) + uint(2);
    uvec4 sum = uvec4(0);
    sum = sum * uint(5) + (x + y);
    sum = sum * uint(5) + (x * y - y);
    sum = sum * uint(5) + ((x / d));
    sum = sum * uint(5) + ((x % d));
    sum = sum * uint(5) + (x & y | ~x);
    sum = sum * uint(5) + (x ^ y);
    sum = sum * uint(5) + (x << (y & uint(31)));
    sum = sum * uint(5) + (x >> (y & uvec4(31)));
    sum = sum * uint(5) + (-x + uint(3));
    sum = sum * uint(5) + (min(x, y));
    sum = sum * uint(5) + (max(x, y));
    sum = sum * uint(5) + (clamp(x, min(x, y), y));
    sum = sum * uint(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uvec4 four = all4(a[i], b[i]);
    uvec3 three = all3(a[i].xyz, b[i].wzy);
    uvec2 two = all2(a[i].yx, b[i].xy);
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
