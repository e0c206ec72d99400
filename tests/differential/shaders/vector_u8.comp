// Each operator on vectors of uint8_t.
//! in 0 u8 512
//! in 1 u8 512 special
//! out 2 u8 1152
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { u8vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { u8vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { uint8_t c[]; };

u8vec2 all2(u8vec2 x, u8vec2 y)
{
    u8vec2 d = (y & uint8_t(63)) + uint8_t(2);
    u8vec2 sum = u8vec2(0);
    sum = sum * uint8_t(5) + (x + y);
    sum = sum * uint8_t(5) + (x * y - y);
    sum = sum * uint8_t(5) + ((x / d));
    sum = sum * uint8_t(5) + ((x % d));
    sum = sum * uint8_t(5) + (x & y | ~x);
    sum = sum * uint8_t(5) + (x ^ y);
    sum = sum * uint8_t(5) + (x << (y & uint8_t(7)));
    sum = sum * uint8_t(5) + (x >> (y & u8vec2(7)));
    sum = sum * uint8_t(5) + (-x + uint8_t(3));
    sum = sum * uint8_t(5) + (min(x, y));
    sum = sum * uint8_t(5) + (max(x, y));
    sum = sum * uint8_t(5) + (clamp(x, min(x, y), y));
    sum = sum * uint8_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint8_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

u8vec3 all3(u8vec3 x, u8vec3 y)
{
    u8vec3 d = (y & uint8_t(63)) + uint8_t(2);
    u8vec3 sum = u8vec3(0);
    sum = sum * uint8_t(5) + (x + y);
    sum = sum * uint8_t(5) + (x * y - y);
    sum = sum * uint8_t(5) + ((x / d));
    sum = sum * uint8_t(5) + ((x % d));
    sum = sum * uint8_t(5) + (x & y | ~x);
    sum = sum * uint8_t(5) + (x ^ y);
    sum = sum * uint8_t(5) + (x << (y & uint8_t(7)));
    sum = sum * uint8_t(5) + (x >> (y & u8vec3(7)));
    sum = sum * uint8_t(5) + (-x + uint8_t(3));
    sum = sum * uint8_t(5) + (min(x, y));
    sum = sum * uint8_t(5) + (max(x, y));
    sum = sum * uint8_t(5) + (clamp(x, min(x, y), y));
    sum = sum * uint8_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint8_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

u8vec4 all4(u8vec4 x, u8vec4 y)
{
    u8vec4 d = (y & uint8_t(63)) + uint8_t(2);
    u8vec4 sum = u8vec4(0);
    sum = sum * uint8_t(5) + (x + y);
    sum = sum * uint8_t(5) + (x * y - y);
    sum = sum * uint8_t(5) + ((x / d));
    sum = sum * uint8_t(5) + ((x % d));
    sum = sum * uint8_t(5) + (x & y | ~x);
    sum = sum * uint8_t(5) + (x ^ y);
    sum = sum * uint8_t(5) + (x << (y & uint8_t(7)));
    sum = sum * uint8_t(5) + (x >> (y & u8vec4(7)));
    sum = sum * uint8_t(5) + (-x + uint8_t(3));
    sum = sum * uint8_t(5) + (min(x, y));
    sum = sum * uint8_t(5) + (max(x, y));
    sum = sum * uint8_t(5) + (clamp(x, min(x, y), y));
    sum = sum * uint8_t(5) + (mix(x, y, lessThan(x, y)));
    sum = sum * uint8_t(5) + (mix(x, y, greaterThanEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, equal(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, notEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, lessThanEqual(x, y)));
    sum = sum * uint8_t(5) + (mix(y, x, greaterThan(x, y)));
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    u8vec4 four = all4(a[i], b[i]);
    u8vec3 three = all3(a[i].xyz, b[i].wzy);
    u8vec2 two = all2(a[i].yx, b[i].xy);
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
