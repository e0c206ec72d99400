// Infinities, NaN and zeros.
//! in 0 f32 512 special
//! in 1 f32 512 special
//! out 2 u32 512
//! out 3 f32 3584 ulp 4
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 7u;
    float x = a[i], y = b[i];
    uint bits = 0u;
    bits |= isnan(x) ? 1u : 0u;
    bits |= isinf(x) ? 2u : 0u;
    bits |= x == y ? 4u : 0u;
    bits |= x != y ? 8u : 0u;
    bits |= x < y ? 16u : 0u;
    bits |= x <= y ? 32u : 0u;
    bits |= x > y ? 64u : 0u;
    bits |= x >= y ? 128u : 0u;
    bits |= !(x < y) ? 256u : 0u;
    bits |= !(x == y) ? 512u : 0u;
    bits |= any(isnan(vec2(x, y))) ? 1024u : 0u;
    bits |= all(isinf(vec2(x, y))) ? 2048u : 0u;
    c[i] = bits;
    d[o + 0u] = x + y;
    d[o + 1u] = x * y;
    d[o + 2u] = x - y;
    d[o + 3u] = abs(x);
    d[o + 4u] = -y;
    d[o + 5u] = x > 0.0 ? x : y;
    d[o + 6u] = uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u);
}
