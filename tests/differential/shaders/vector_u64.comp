// Each operator on vectors of uint64_t.
//! in 0 u64 512
//! in 1 u64 512 special
//! out 2 u64 1152
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { u64vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { u64vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { uint64_t c[]; };

u64vec2 all2(u64vec2 x, u64vec2 y)
{
    u64vec2 d = (y & uint64_t(63)) + uint64_t(2);
    u64vec2 sum = u64vec2(0);
    sum = sum * uint64_t(5) + (x + y);
    sum = sum * uint64_t(5) + (x * y - y);
    sum = sum * uint64_t(5) + ((x / d));
    sum = sum * uint64_t(5) + ((x % d));
    sum = sum * uint64_t(5) + (x & y | ~x);
    sum = sum * uint64_t(5) + (x ^ y);
    sum = sum * uint64_t(5) + (x << (y & uint64_t(63)));
    sum = sum * uint64_t(5) + (x >> (y & u64vec2(63)));
    sum = sum * uint64_t(5) + (-x + uint64_t(3));
    sum = sum * uint64_t(5) + (min(x, y));
    sum = sum * uint64_t(5) + (max(x, y));
    sum = sum * uint64_t(5) + (clamp(x, min(x, y), y));
    sum = sum * uint64_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint64_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

u64vec3 all3(u64vec3 x, u64vec3 y)
{
    u64vec3 d = (y & uint64_t(63)) + uint64_t(2);
    u64vec3 sum = u64vec3(0);
    sum = sum * uint64_t(5) + (x + y);
    sum = sum * uint64_t(5) + (x * y - y);
    sum = sum * uint64_t(5) + ((x / d));
    sum = sum * uint64_t(5) + ((x % d));
    sum = sum * uint64_t(5) + (x & y | ~x);
    sum = sum * uint64_t(5) + (x ^ y);
    sum = sum * uint64_t(5) + (x << (y & uint64_t(63)));
    sum = sum * uint64_t(5) + (x >> (y & u64vec3(63)));
    sum = sum * uint64_t(5) + (-x + uint64_t(3));
    sum = sum * uint64_t(5) + (min(x, y));
    sum = sum * uint64_t(5) + (max(x, y));
    sum = sum * uint64_t(5) + (clamp(x, min(x, y), y));
    sum = sum * uint64_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint64_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

u64vec4 all4(u64vec4 x, u64vec4 y)
{
    u64vec4 d = (y & uint64_t(63)) + uint64_t(2);
    u64vec4 sum = u64vec4(0);
    sum = sum * uint64_t(5) + (x + y);
    sum = sum * uint64_t(5) + (x * y - y);
    sum = sum * uint64_t(5) + ((x / d));
    sum = sum * uint64_t(5) + ((x % d));
    sum = sum * uint64_t(5) + (x & y | ~x);
    sum = sum * uint64_t(5) + (x ^ y);
    sum = sum * uint64_t(5) + (x << (y & uint64_t(63)));
    sum = sum * uint64_t(5) + (x >> (y & u64vec4(63)));
    sum = sum * uint64_t(5) + (-x + uint64_t(3));
    sum = sum * uint64_t(5) + (min(x, y));
    sum = sum * uint64_t(5) + (max(x, y));
    sum = sum * uint64_t(5) + (clamp(x, min(x, y), y));
    sum = sum * uint64_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint64_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint64_t(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    u64vec4 four = all4(a[i], b[i]);
    u64vec3 three = all3(a[i].xyz, b[i].wzy);
    u64vec2 two = all2(a[i].yx, b[i].xy);
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
