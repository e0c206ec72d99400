// Each operator and common function on double. The tolerance is for the sign of zero, which trunc() of some drivers loses.
//! in 0 f64 512 range -9 9
//! in 1 f64 512 range -9 9
//! in 2 f64 512 range -9 9
//! out 3 f64 12800 abs 1e-300
//! out 4 f64 4608 ulp 8 abs 1e-12
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { double xs[]; };
layout(std430, binding = 1) readonly buffer B { double ys[]; };
layout(std430, binding = 2) readonly buffer Z { double zs[]; };
layout(std430, binding = 3) writeonly buffer C { double c[]; };
layout(std430, binding = 4) writeonly buffer D { double d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 25u;
    uint p = i * 9u;
    double x = xs[i];
    double y = ys[i];
    double z = zs[i];
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
    c[o + 10u] = round(x + double(0.25));
    c[o + 11u] = fract(abs(x));
    c[o + 12u] = min(x, y);
    c[o + 13u] = max(x, y);
    c[o + 14u] = clamp(x, double(-1), double(2));
    c[o + 15u] = step(x, y);
    c[o + 16u] = x < y ? x : y;
    c[o + 17u] = x >= y ? x : y;
    c[o + 18u] = double(x == y);
    c[o + 19u] = double(x != y);
    c[o + 20u] = double(x <= y);
    c[o + 21u] = double(x > y);
    c[o + 22u] = double(isnan(x));
    c[o + 23u] = double(isinf(x * double(2)));
    c[o + 24u] = double(!(x < y));
    d[p + 0u] = x / y;
    d[p + 1u] = mod(x, abs(y) + double(0.5));
    d[p + 2u] = mix(x, y, double(0.3));
    d[p + 3u] = smoothstep(double(-2), double(2), x);
    d[p + 4u] = fma(x, y, z);
    d[p + 5u] = sqrt(abs(x));
    d[p + 6u] = inversesqrt(abs(x) + double(0.5));
    d[p + 7u] = x / (abs(y) + double(1)) + y;
    d[p + 8u] = smoothstep(double(1), double(0), y);
}
