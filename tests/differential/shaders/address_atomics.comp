// Atomics through pointers: sums, extremes, bits, exchanges and compare-and-swap, on whole and nested members.
//! inout 20 u32,i32,u32,u32,u32,u32,4u32 1 range 0 100
//! inout 21 u64 2 range 0 1000
//! out 1 u32 4
//! push u64 0 0
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! groups 4 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer Counters {
    uint sum;
    int least;
    uint most;
    uint bits;
    uint parity;
    uint winner;
    uint bins[4];
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Wide { uint64_t total; uint64_t most; };
layout(push_constant) uniform Push { Counters counters; Wide wide; };
layout(std430, binding = 1) writeonly buffer Out { uint unused[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    atomicAdd(counters.sum, i);
    atomicMin(counters.least, 50 - int(i));
    atomicMax(counters.most, i * 3u);
    atomicOr(counters.bits, 1u << (i & 31u));
    atomicXor(counters.parity, i);
    atomicAdd(counters.bins[i & 3u], 1u);
    atomicAdd(wide.total, uint64_t(i) << 24);
    atomicMax(wide.most, uint64_t(i) * 70000ul);
    if (i == 7u) {
        uint old = atomicExchange(counters.winner, 1234u);
        uint seen = atomicCompSwap(counters.winner, 1234u, 99u);
        unused[0] = seen - old;
        unused[1] = unused[2] = unused[3] = 5u;
    }
}
