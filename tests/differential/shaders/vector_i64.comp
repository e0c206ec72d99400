// Each operator on vectors of int64_t. (Some Vulkan drivers take the sign of % from the wrong side, so both
// are positive.)
//! in 0 i64 512
//! in 1 i64 512 special
//! out 2 i64 1152
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { i64vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { i64vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { int64_t c[]; };

i64vec2 all2(i64vec2 x, i64vec2 y)
{
    i64vec2 d = (y & int64_t(63)) + int64_t(2);
    i64vec2 sum = i64vec2(0);
    sum = sum * int64_t(5) + (x + y);
    sum = sum * int64_t(5) + (x * y - y);
    sum = sum * int64_t(5) + ((x / d));
    sum = sum * int64_t(5) + (((x & int64_t(9223372036854775807L)) % d));
    sum = sum * int64_t(5) + (x & y | ~x);
    sum = sum * int64_t(5) + (x ^ y);
    sum = sum * int64_t(5) + (x << (y & int64_t(63)));
    sum = sum * int64_t(5) + (x >> (y & i64vec2(63)));
    sum = sum * int64_t(5) + (-x + int64_t(3));
    sum = sum * int64_t(5) + (min(x, y));
    sum = sum * int64_t(5) + (max(x, y));
    sum = sum * int64_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int64_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int64_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int64_t(5) + (abs(x));
    sum = sum * int64_t(5) + (sign(x));
    return sum;
}

i64vec3 all3(i64vec3 x, i64vec3 y)
{
    i64vec3 d = (y & int64_t(63)) + int64_t(2);
    i64vec3 sum = i64vec3(0);
    sum = sum * int64_t(5) + (x + y);
    sum = sum * int64_t(5) + (x * y - y);
    sum = sum * int64_t(5) + ((x / d));
    sum = sum * int64_t(5) + (((x & int64_t(9223372036854775807L)) % d));
    sum = sum * int64_t(5) + (x & y | ~x);
    sum = sum * int64_t(5) + (x ^ y);
    sum = sum * int64_t(5) + (x << (y & int64_t(63)));
    sum = sum * int64_t(5) + (x >> (y & i64vec3(63)));
    sum = sum * int64_t(5) + (-x + int64_t(3));
    sum = sum * int64_t(5) + (min(x, y));
    sum = sum * int64_t(5) + (max(x, y));
    sum = sum * int64_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int64_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int64_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int64_t(5) + (abs(x));
    sum = sum * int64_t(5) + (sign(x));
    return sum;
}

i64vec4 all4(i64vec4 x, i64vec4 y)
{
    i64vec4 d = (y & int64_t(63)) + int64_t(2);
    i64vec4 sum = i64vec4(0);
    sum = sum * int64_t(5) + (x + y);
    sum = sum * int64_t(5) + (x * y - y);
    sum = sum * int64_t(5) + ((x / d));
    sum = sum * int64_t(5) + (((x & int64_t(9223372036854775807L)) % d));
    sum = sum * int64_t(5) + (x & y | ~x);
    sum = sum * int64_t(5) + (x ^ y);
    sum = sum * int64_t(5) + (x << (y & int64_t(63)));
    sum = sum * int64_t(5) + (x >> (y & i64vec4(63)));
    sum = sum * int64_t(5) + (-x + int64_t(3));
    sum = sum * int64_t(5) + (min(x, y));
    sum = sum * int64_t(5) + (max(x, y));
    sum = sum * int64_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int64_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int64_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int64_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int64_t(5) + (abs(x));
    sum = sum * int64_t(5) + (sign(x));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    i64vec4 four = all4(a[i], b[i]);
    i64vec3 three = all3(a[i].xyz, b[i].wzy);
    i64vec2 two = all2(a[i].yx, b[i].xy);
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
