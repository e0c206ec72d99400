// Buffers in several sets, with gaps, and one of each kind.
//! in 0.3 f32 64 range 0 9
//! in 1.0 u32 64
//! uniform 1.7 u32 16 range 0 9
//! inout 2.1 u32 64
//! out 3.0 f32 64
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 3, std430) readonly buffer A { float a[]; };
layout(set = 1, binding = 0, std430) readonly buffer B { uint count; uint rest[]; } b;
layout(set = 1, binding = 7, std140) uniform U { uvec4 u[4]; };
layout(set = 2, binding = 1, std430) coherent buffer D { uint d[]; };
layout(set = 3, binding = 0, std430) restrict writeonly buffer E { float e[]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    e[i] = a[i] + float(u[i % 4u][i / 16u]);
    d[i] ^= i == 0u ? b.count : b.rest[i - 1u];
    d[i] += uint(b.rest.length());
}
