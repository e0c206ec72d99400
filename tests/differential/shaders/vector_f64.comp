// Each operator and common function on vectors of double. The tolerance is for the sign of zero: see arithmetic_f64.comp.
//! in 0 f64 256 range -9 9
//! in 1 f64 256 range -9 9
//! out 2 f64 15552 abs 1e-300
//! out 3 f64 6336 ulp 8 abs 1e-12
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { dvec4 xs[]; };
layout(std430, binding = 1) readonly buffer B { dvec4 ys[]; };
layout(std430, binding = 2) writeonly buffer C { double c[]; };
layout(std430, binding = 3) writeonly buffer D { double d[]; };

void put_c2(uint at, dvec2 r)
{
    for (uint k = 0u; k < 2u; k++)
        c[at + k] = r[k];
}

void put_c3(uint at, dvec3 r)
{
    for (uint k = 0u; k < 3u; k++)
        c[at + k] = r[k];
}

void put_c4(uint at, dvec4 r)
{
    for (uint k = 0u; k < 4u; k++)
        c[at + k] = r[k];
}

void put_d2(uint at, dvec2 r)
{
    for (uint k = 0u; k < 2u; k++)
        d[at + k] = r[k];
}

void put_d3(uint at, dvec3 r)
{
    for (uint k = 0u; k < 3u; k++)
        d[at + k] = r[k];
}

void put_d4(uint at, dvec4 r)
{
    for (uint k = 0u; k < 4u; k++)
        d[at + k] = r[k];
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 243u;
    uint p = i * 99u;
    {
        dvec2 x = xs[i].xy;
        dvec2 y = ys[i].xy;
        dvec2 r;
        r = x + y;
        put_c2(o + 0u, r);
        r = x - y;
        put_c2(o + 9u, r);
        r = x * y;
        put_c2(o + 18u, r);
        r = x * y.x;
        put_c2(o + 27u, r);
        r = y.y * x;
        put_c2(o + 36u, r);
        r = -x;
        put_c2(o + 45u, r);
        r = abs(x);
        put_c2(o + 54u, r);
        r = sign(x);
        put_c2(o + 63u, r);
        r = floor(x);
        put_c2(o + 72u, r);
        r = ceil(x);
        put_c2(o + 81u, r);
        r = trunc(x);
        put_c2(o + 90u, r);
        r = roundEven(x);
        put_c2(o + 99u, r);
        r = min(x, y);
        put_c2(o + 108u, r);
        r = max(x, y);
        put_c2(o + 117u, r);
        r = min(x, y.x);
        put_c2(o + 126u, r);
        r = max(x, y.x);
        put_c2(o + 135u, r);
        r = clamp(x, double(-1), double(2));
        put_c2(o + 144u, r);
        r = step(x, y);
        put_c2(o + 153u, r);
        r = step(double(0), x);
        put_c2(o + 162u, r);
        r = mix(x, y, lessThan(x, y));
        put_c2(o + 171u, r);
        r = mix(x, y, greaterThanEqual(x, y));
        put_c2(o + 180u, r);
        r = mix(x, y, equal(x, y));
        put_c2(o + 189u, r);
        r = mix(x, y, notEqual(x, y));
        put_c2(o + 198u, r);
        r = mix(x, y, lessThanEqual(x, y));
        put_c2(o + 207u, r);
        r = mix(x, y, greaterThan(x, y));
        put_c2(o + 216u, r);
        r = mix(x, y, isnan(x));
        put_c2(o + 225u, r);
        r = mix(x, y, isinf(x));
        put_c2(o + 234u, r);
        r = x / y;
        put_d2(p + 0u, r);
        r = x / (abs(y.x) + double(1));
        put_d2(p + 9u, r);
        r = mix(x, y, double(0.25));
        put_d2(p + 18u, r);
        r = mix(x, y, abs(y) * double(0.1));
        put_d2(p + 27u, r);
        r = mod(x, double(3));
        put_d2(p + 36u, r);
        r = mod(x, abs(y) + double(1));
        put_d2(p + 45u, r);
        r = fract(x);
        put_d2(p + 54u, r);
        r = smoothstep(dvec2(-3), dvec2(3), x);
        put_d2(p + 63u, r);
        r = fma(x, y, x);
        put_d2(p + 72u, r);
        r = sqrt(abs(x));
        put_d2(p + 81u, r);
        r = inversesqrt(abs(y) + double(1));
        put_d2(p + 90u, r);
    }
    {
        dvec3 x = xs[i].xyz;
        dvec3 y = ys[i].xyz;
        dvec3 r;
        r = x + y;
        put_c3(o + 2u, r);
        r = x - y;
        put_c3(o + 11u, r);
        r = x * y;
        put_c3(o + 20u, r);
        r = x * y.x;
        put_c3(o + 29u, r);
        r = y.y * x;
        put_c3(o + 38u, r);
        r = -x;
        put_c3(o + 47u, r);
        r = abs(x);
        put_c3(o + 56u, r);
        r = sign(x);
        put_c3(o + 65u, r);
        r = floor(x);
        put_c3(o + 74u, r);
        r = ceil(x);
        put_c3(o + 83u, r);
        r = trunc(x);
        put_c3(o + 92u, r);
        r = roundEven(x);
        put_c3(o + 101u, r);
        r = min(x, y);
        put_c3(o + 110u, r);
        r = max(x, y);
        put_c3(o + 119u, r);
        r = min(x, y.x);
        put_c3(o + 128u, r);
        r = max(x, y.x);
        put_c3(o + 137u, r);
        r = clamp(x, double(-1), double(2));
        put_c3(o + 146u, r);
        r = step(x, y);
        put_c3(o + 155u, r);
        r = step(double(0), x);
        put_c3(o + 164u, r);
        r = mix(x, y, lessThan(x, y));
        put_c3(o + 173u, r);
        r = mix(x, y, greaterThanEqual(x, y));
        put_c3(o + 182u, r);
        r = mix(x, y, equal(x, y));
        put_c3(o + 191u, r);
        r = mix(x, y, notEqual(x, y));
        put_c3(o + 200u, r);
        r = mix(x, y, lessThanEqual(x, y));
        put_c3(o + 209u, r);
        r = mix(x, y, greaterThan(x, y));
        put_c3(o + 218u, r);
        r = mix(x, y, isnan(x));
        put_c3(o + 227u, r);
        r = mix(x, y, isinf(x));
        put_c3(o + 236u, r);
        r = x / y;
        put_d3(p + 2u, r);
        r = x / (abs(y.x) + double(1));
        put_d3(p + 11u, r);
        r = mix(x, y, double(0.25));
        put_d3(p + 20u, r);
        r = mix(x, y, abs(y) * double(0.1));
        put_d3(p + 29u, r);
        r = mod(x, double(3));
        put_d3(p + 38u, r);
        r = mod(x, abs(y) + double(1));
        put_d3(p + 47u, r);
        r = fract(x);
        put_d3(p + 56u, r);
        r = smoothstep(dvec3(-3), dvec3(3), x);
        put_d3(p + 65u, r);
        r = fma(x, y, x);
        put_d3(p + 74u, r);
        r = sqrt(abs(x));
        put_d3(p + 83u, r);
        r = inversesqrt(abs(y) + double(1));
        put_d3(p + 92u, r);
    }
    {
        dvec4 x = xs[i];
        dvec4 y = ys[i];
        dvec4 r;
        r = x + y;
        put_c4(o + 5u, r);
        r = x - y;
        put_c4(o + 14u, r);
        r = x * y;
        put_c4(o + 23u, r);
        r = x * y.x;
        put_c4(o + 32u, r);
        r = y.y * x;
        put_c4(o + 41u, r);
        r = -x;
        put_c4(o + 50u, r);
        r = abs(x);
        put_c4(o + 59u, r);
        r = sign(x);
        put_c4(o + 68u, r);
        r = floor(x);
        put_c4(o + 77u, r);
        r = ceil(x);
        put_c4(o + 86u, r);
        r = trunc(x);
        put_c4(o + 95u, r);
        r = roundEven(x);
        put_c4(o + 104u, r);
        r = min(x, y);
        put_c4(o + 113u, r);
        r = max(x, y);
        put_c4(o + 122u, r);
        r = min(x, y.x);
        put_c4(o + 131u, r);
        r = max(x, y.x);
        put_c4(o + 140u, r);
        r = clamp(x, double(-1), double(2));
        put_c4(o + 149u, r);
        r = step(x, y);
        put_c4(o + 158u, r);
        r = step(double(0), x);
        put_c4(o + 167u, r);
        r = mix(x, y, lessThan(x, y));
        put_c4(o + 176u, r);
        r = mix(x, y, greaterThanEqual(x, y));
        put_c4(o + 185u, r);
        r = mix(x, y, equal(x, y));
        put_c4(o + 194u, r);
        r = mix(x, y, notEqual(x, y));
        put_c4(o + 203u, r);
        r = mix(x, y, lessThanEqual(x, y));
        put_c4(o + 212u, r);
        r = mix(x, y, greaterThan(x, y));
        put_c4(o + 221u, r);
        r = mix(x, y, isnan(x));
        put_c4(o + 230u, r);
        r = mix(x, y, isinf(x));
        put_c4(o + 239u, r);
        r = x / y;
        put_d4(p + 5u, r);
        r = x / (abs(y.x) + double(1));
        put_d4(p + 14u, r);
        r = mix(x, y, double(0.25));
        put_d4(p + 23u, r);
        r = mix(x, y, abs(y) * double(0.1));
        put_d4(p + 32u, r);
        r = mod(x, double(3));
        put_d4(p + 41u, r);
        r = mod(x, abs(y) + double(1));
        put_d4(p + 50u, r);
        r = fract(x);
        put_d4(p + 59u, r);
        r = smoothstep(dvec4(-3), dvec4(3), x);
        put_d4(p + 68u, r);
        r = fma(x, y, x);
        put_d4(p + 77u, r);
        r = sqrt(abs(x));
        put_d4(p + 86u, r);
        r = inversesqrt(abs(y) + double(1));
        put_d4(p + 95u, r);
    }
}
