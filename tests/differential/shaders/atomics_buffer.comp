// Atomics on buffers: the results that do not depend on the order.
//! in 0 u32 1024
//! inout 1 u32 16 range 1000 2000
//! inout 2 i32 4 range -9 9
//! out 3 u32 1024
//! groups 16 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint b[]; };
layout(std430, binding = 2) buffer D { int lowest; int highest; int sum; int last; } d;
layout(std430, binding = 3) writeonly buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = a[i];
    atomicAdd(b[0], x);
    atomicMin(b[1], x);
    atomicMax(b[2], x);
    atomicAnd(b[3], x | 0xffff0000u | i);
    atomicOr(b[4], x & 0x10101u);
    atomicXor(b[5], x);
    atomicAdd(b[6 + x % 4u], 1u);
    uint seen = atomicAdd(b[10], 0u);
    atomicMin(d.lowest, int(x));
    atomicMax(d.highest, int(x));
    atomicAdd(d.sum, -int(i));
    /* the invocations race, but the sum of the values that they get is always the same */
    uint ticket = atomicAdd(b[11], 1u);
    atomicAdd(b[12], ticket);
    uint before = atomicExchange(b[13], 5u);
    atomicCompSwap(b[14], 77777u, 3u);
    if (i == 0u) {
        uint old = atomicCompSwap(b[15], b[15], 42u);
        atomicAdd(b[15], old == 0u ? 1u : 2u);
        d.last = atomicExchange(d.last, -5) + 1;
    }
    c[i] = seen + (before == 5u || before >= 1000u ? 1u : 0u);
}
