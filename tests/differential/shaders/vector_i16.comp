// Each operator on vectors of int16_t. (Some Vulkan drivers take the sign of % from the wrong side, so both
// are positive.)
//! in 0 i16 512
//! in 1 i16 512 special
//! out 2 i16 1152
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { i16vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { i16vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { int16_t c[]; };

i16vec2 all2(i16vec2 x, i16vec2 y)
{
    i16vec2 d = (y & int16_t(63)) + int16_t(2);
    i16vec2 sum = i16vec2(0);
    sum = sum * int16_t(5) + (x + y);
    sum = sum * int16_t(5) + (x * y - y);
    sum = sum * int16_t(5) + ((x / d));
    sum = sum * int16_t(5) + (((x & int16_t(32767)) % d));
    sum = sum * int16_t(5) + (x & y | ~x);
    sum = sum * int16_t(5) + (x ^ y);
    sum = sum * int16_t(5) + (x << (y & int16_t(15)));
    sum = sum * int16_t(5) + (x >> (y & i16vec2(15)));
    sum = sum * int16_t(5) + (-x + int16_t(3));
    sum = sum * int16_t(5) + (min(x, y));
    sum = sum * int16_t(5) + (max(x, y));
    sum = sum * int16_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int16_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int16_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int16_t(5) + (abs(x));
    sum = sum * int16_t(5) + (sign(x));
    return sum;
}

i16vec3 all3(i16vec3 x, i16vec3 y)
{
    i16vec3 d = (y & int16_t(63)) + int16_t(2);
    i16vec3 sum = i16vec3(0);
    sum = sum * int16_t(5) + (x + y);
    sum = sum * int16_t(5) + (x * y - y);
    sum = sum * int16_t(5) + ((x / d));
    sum = sum * int16_t(5) + (((x & int16_t(32767)) % d));
    sum = sum * int16_t(5) + (x & y | ~x);
    sum = sum * int16_t(5) + (x ^ y);
    sum = sum * int16_t(5) + (x << (y & int16_t(15)));
    sum = sum * int16_t(5) + (x >> (y & i16vec3(15)));
    sum = sum * int16_t(5) + (-x + int16_t(3));
    sum = sum * int16_t(5) + (min(x, y));
    sum = sum * int16_t(5) + (max(x, y));
    sum = sum * int16_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int16_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int16_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int16_t(5) + (abs(x));
    sum = sum * int16_t(5) + (sign(x));
    return sum;
}

i16vec4 all4(i16vec4 x, i16vec4 y)
{
    i16vec4 d = (y & int16_t(63)) + int16_t(2);
    i16vec4 sum = i16vec4(0);
    sum = sum * int16_t(5) + (x + y);
    sum = sum * int16_t(5) + (x * y - y);
    sum = sum * int16_t(5) + ((x / d));
    sum = sum * int16_t(5) + (((x & int16_t(32767)) % d));
    sum = sum * int16_t(5) + (x & y | ~x);
    sum = sum * int16_t(5) + (x ^ y);
    sum = sum * int16_t(5) + (x << (y & int16_t(15)));
    sum = sum * int16_t(5) + (x >> (y & i16vec4(15)));
    sum = sum * int16_t(5) + (-x + int16_t(3));
    sum = sum * int16_t(5) + (min(x, y));
    sum = sum * int16_t(5) + (max(x, y));
    sum = sum * int16_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int16_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int16_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int16_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int16_t(5) + (abs(x));
    sum = sum * int16_t(5) + (sign(x));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    i16vec4 four = all4(a[i], b[i]);
    i16vec3 three = all3(a[i].xyz, b[i].wzy);
    i16vec2 two = all2(a[i].yx, b[i].xy);
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
