// Each operator and common function on float16_t.
//! in 0 f16 512 range -9 9
//! in 1 f16 512 range -9 9
//! in 2 f16 512 range -9 9
//! out 3 f16 12800
//! out 4 f16 4608 ulp 4 abs 0.03
//! groups 8 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float16_t xs[]; };
layout(std430, binding = 1) readonly buffer B { float16_t ys[]; };
layout(std430, binding = 2) readonly buffer Z { float16_t zs[]; };
layout(std430, binding = 3) writeonly buffer C { float16_t c[]; };
layout(std430, binding = 4) writeonly buffer D { float16_t d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 25u;
    uint p = i * 9u;
    float16_t x = xs[i];
    float16_t y = ys[i];
    float16_t z = zs[i];
    c[o + 0u] = x + y;
    c[o + 1u] = x - y;
    c[o + 2u] = x * y;
    c[o + 3u] = -x;
    c[o + 4u] = abs(x);
    c[o + 5u] = sign(x);
    c[o + 6u] = floor(x);
    c[o + 7u] = ceil(x);
    c[o + 8u] = trunc(x);
    c[o + 9u] = roundEven(x);
    c[o + 10u] = round(x + float16_t(0.25));
    c[o + 11u] = fract(abs(x));
    c[o + 12u] = min(x, y);
    c[o + 13u] = max(x, y);
    c[o + 14u] = clamp(x, float16_t(-1), float16_t(2));
    c[o + 15u] = step(x, y);
    c[o + 16u] = x < y ? x : y;
    c[o + 17u] = x >= y ? x : y;
    c[o + 18u] = float16_t(x == y);
    c[o + 19u] = float16_t(x != y);
    c[o + 20u] = float16_t(x <= y);
    c[o + 21u] = float16_t(x > y);
    c[o + 22u] = float16_t(isnan(x));
    c[o + 23u] = float16_t(isinf(x * float16_t(2)));
    c[o + 24u] = float16_t(!(x < y));
    d[p + 0u] = x / y;
    d[p + 1u] = mod(x, abs(y) + float16_t(0.5));
    d[p + 2u] = mix(x, y, float16_t(0.3));
    d[p + 3u] = smoothstep(float16_t(-2), float16_t(2), x);
    d[p + 4u] = fma(x, y, z);
    d[p + 5u] = sqrt(abs(x));
    d[p + 6u] = inversesqrt(abs(x) + float16_t(0.5));
    d[p + 7u] = x / (abs(y) + float16_t(1)) + y;
    d[p + 8u] = smoothstep(float16_t(1), float16_t(0), y);
}
