// frexp, modf, ldexp, and bit casts of floats.
//! in 0 f32 256 log -20 20
//! out 1 f32 2048 ulp 1
//! out 2 i32 1792
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer C { float c[]; };
layout(std430, binding = 2) buffer D { int d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 8u, p = i * 7u;
    float x = a[i], whole;
    int exponent;
    c[o + 0u] = frexp(x, exponent);
    d[p + 0u] = exponent;
    c[o + 1u] = ldexp(x, int(i % 16u) - 8);
    c[o + 2u] = modf(x, whole);
    c[o + 3u] = whole;
    vec2 pair = vec2(x, -x * 3.0), wholes;
    ivec2 exponents;
    vec2 parts = frexp(pair, exponents);
    c[o + 4u] = parts.x + parts.y * 8.0;
    d[p + 1u] = exponents.x * 1000 + exponents.y;
    vec2 rest = modf(pair, wholes);
    c[o + 5u] = rest.y;
    c[o + 6u] = wholes.y;
    c[o + 7u] = ldexp(pair, ivec2(3, -3)).y;
    d[p + 2u] = floatBitsToInt(x);
    d[p + 3u] = int(floatBitsToUint(-x) >> 3);
    d[p + 4u] = floatBitsToInt(intBitsToFloat(d[p + 2u] & 0x7fffff | 0x40000000) + 1.0);
    d[p + 5u] = floatBitsToInt(uintBitsToFloat(0x3f800000u + i) * 2.0);
    ivec2 both = floatBitsToInt(pair);
    d[p + 6u] = both.x ^ both.y;
}
