// Each operator and common function on float.
//! in 0 f32 512 range -9 9
//! in 1 f32 512 range -9 9
//! in 2 f32 512 range -9 9
//! out 3 f32 12800
//! out 4 f32 4608 ulp 8 abs 2e-6
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float xs[]; };
layout(std430, binding = 1) readonly buffer B { float ys[]; };
layout(std430, binding = 2) readonly buffer Z { float zs[]; };
layout(std430, binding = 3) writeonly buffer C { float c[]; };
layout(std430, binding = 4) writeonly buffer D { float d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 25u;
    uint p = i * 9u;
    float x = xs[i];
    float y = ys[i];
    float z = zs[i];
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
    c[o + 10u] = round(x + float(0.25));
    c[o + 11u] = fract(abs(x));
    c[o + 12u] = min(x, y);
    c[o + 13u] = max(x, y);
    c[o + 14u] = clamp(x, float(-1), float(2));
    c[o + 15u] = step(x, y);
    c[o + 16u] = x < y ? x : y;
    c[o + 17u] = x >= y ? x : y;
    c[o + 18u] = float(x == y);
    c[o + 19u] = float(x != y);
    c[o + 20u] = float(x <= y);
    c[o + 21u] = float(x > y);
    c[o + 22u] = float(isnan(x));
    c[o + 23u] = float(isinf(x * float(2)));
    c[o + 24u] = float(!(x < y));
    d[p + 0u] = x / y;
    d[p + 1u] = mod(x, abs(y) + float(0.5));
    d[p + 2u] = mix(x, y, float(0.3));
    d[p + 3u] = smoothstep(float(-2), float(2), x);
    d[p + 4u] = fma(x, y, z);
    d[p + 5u] = sqrt(abs(x));
    d[p + 6u] = inversesqrt(abs(x) + float(0.5));
    d[p + 7u] = x / (abs(y) + float(1)) + y;
    d[p + 8u] = smoothstep(float(1), float(0), y);
}
