// A buffer written through one view and read through another, within a work-item and behind a barrier.
//! inout 0 u32 512
//! inout 1 f32 256 range 1 2
//! out 2 u32 64
//! groups 2 1 1
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer W { uint w[]; };
layout(std430, binding = 0) buffer W4 { uvec4 w4[]; };
layout(std430, binding = 1) buffer F { float f[]; };
layout(std430, binding = 1) restrict buffer FU { uint fu[]; };
layout(std430, binding = 2) buffer O { uint o[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, g = gl_WorkGroupID.x;
    // within a work-item: the order of accesses through different views counts
    uint sum = w[8u * i];
    w4[2u * i] = uvec4(i, sum, sum * 3u, 7u);
    sum += w[8u * i + 1u] + w[8u * i + 2u] * 5u;
    w[8u * i + 2u] = sum;
    w4[2u * i + 1u] = w4[2u * i] + w[8u * i + 3u];
    f[2u * i] = f[2u * i + 1u] * 2.0;
    uint bits = fu[2u * i];
    fu[2u * i] = bits ^ 0x00400000u;
    f[2u * i + 1u] = f[2u * i] + 1.0;
    // behind a barrier: what the neighbour wrote through the other view
    barrier();
    memoryBarrierBuffer();
    barrier();
    uint n = g * 32u + (l + 5u) % 32u;
    o[i] = sum + w[8u * n + 5u] + fu[2u * n + 1u];
}
