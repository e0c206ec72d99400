// Each operator on vectors of int8_t. (Some Vulkan drivers take the sign of % from the wrong side, so both
// are positive.)
//! in 0 i8 512
//! in 1 i8 512 special
//! out 2 i8 1152
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { i8vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { i8vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { int8_t c[]; };

i8vec2 all2(i8vec2 x, i8vec2 y)
{
    i8vec2 d = (y & int8_t(63)) + int8_t(2);
    i8vec2 sum = i8vec2(0);
    sum = sum * int8_t(5) + (x + y);
    sum = sum * int8_t(5) + (x * y - y);
    sum = sum * int8_t(5) + ((x / d));
    sum = sum * int8_t(5) + (((x & int8_t(127)) % d));
    sum = sum * int8_t(5) + (x & y | ~x);
    sum = sum * int8_t(5) + (x ^ y);
    sum = sum * int8_t(5) + (x << (y & int8_t(7)));
    sum = sum * int8_t(5) + (x >> (y & i8vec2(7)));
    sum = sum * int8_t(5) + (-x + int8_t(3));
    sum = sum * int8_t(5) + (min(x, y));
    sum = sum * int8_t(5) + (max(x, y));
    sum = sum * int8_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int8_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int8_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int8_t(5) + (abs(x));
    sum = sum * int8_t(5) + (sign(x));
    return sum;
}

i8vec3 all3(i8vec3 x, i8vec3 y)
{
    i8vec3 d = (y & int8_t(63)) + int8_t(2);
    i8vec3 sum = i8vec3(0);
    sum = sum * int8_t(5) + (x + y);
    sum = sum * int8_t(5) + (x * y - y);
    sum = sum * int8_t(5) + ((x / d));
    sum = sum * int8_t(5) + (((x & int8_t(127)) % d));
    sum = sum * int8_t(5) + (x & y | ~x);
    sum = sum * int8_t(5) + (x ^ y);
    sum = sum * int8_t(5) + (x << (y & int8_t(7)));
    sum = sum * int8_t(5) + (x >> (y & i8vec3(7)));
    sum = sum * int8_t(5) + (-x + int8_t(3));
    sum = sum * int8_t(5) + (min(x, y));
    sum = sum * int8_t(5) + (max(x, y));
    sum = sum * int8_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int8_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int8_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int8_t(5) + (abs(x));
    sum = sum * int8_t(5) + (sign(x));
    return sum;
}

i8vec4 all4(i8vec4 x, i8vec4 y)
{
    i8vec4 d = (y & int8_t(63)) + int8_t(2);
    i8vec4 sum = i8vec4(0);
    sum = sum * int8_t(5) + (x + y);
    sum = sum * int8_t(5) + (x * y - y);
    sum = sum * int8_t(5) + ((x / d));
    sum = sum * int8_t(5) + (((x & int8_t(127)) % d));
    sum = sum * int8_t(5) + (x & y | ~x);
    sum = sum * int8_t(5) + (x ^ y);
    sum = sum * int8_t(5) + (x << (y & int8_t(7)));
    sum = sum * int8_t(5) + (x >> (y & i8vec4(7)));
    sum = sum * int8_t(5) + (-x + int8_t(3));
    sum = sum * int8_t(5) + (min(x, y));
    sum = sum * int8_t(5) + (max(x, y));
    sum = sum * int8_t(5) + (clamp(x, min(x, y), y));
    sum = sum * int8_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * int8_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * int8_t(5) + (mix(y, x, greaterThan(x, y)));
    sum = sum * int8_t(5) + (abs(x));
    sum = sum * int8_t(5) + (sign(x));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    i8vec4 four = all4(a[i], b[i]);
    i8vec3 three = all3(a[i].xyz, b[i].wzy);
    i8vec2 two = all2(a[i].yx, b[i].xy);
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
