// Atomics on shared memory, and a histogram with it.
//! in 0 u32 1024
//! inout 1 u32 16 range 0 0
//! out 2 i32 32
//! groups 8 1 1
#version 450
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { int c[]; };
shared uint bins[16];
shared int lowest, highest;
shared struct { uint ors; uint xors; } both;

void main()
{
    uint local = gl_LocalInvocationID.x;
    uint x = a[gl_GlobalInvocationID.x];
    if (local < 16u)
        bins[local] = 0u;
    if (local == 16u) {
        lowest = 2147483647;
        highest = -2147483647;
        both.ors = 0u;
        both.xors = 0u;
    }
    barrier();
    atomicAdd(bins[x >> 28], 1u);
    atomicMin(lowest, int(x));
    atomicMax(highest, int(x));
    atomicOr(both.ors, x & 0xff00ffu);
    atomicXor(both.xors, x);
    barrier();
    if (local < 16u)
        atomicAdd(b[local], bins[local]);
    if (local == 0u) {
        uint o = gl_WorkGroupID.x * 4u;
        c[o + 0u] = lowest;
        c[o + 1u] = highest;
        c[o + 2u] = int(both.ors);
        c[o + 3u] = int(both.xors);
    }
}
