// Atomics of 64 bits.
//! in 0 u64 256
//! inout 1 u64 8
//! inout 2 i64 2
//! groups 4 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint64_t a[]; };
layout(std430, binding = 1) buffer B { uint64_t b[]; };
layout(std430, binding = 2) buffer D { int64_t d[]; };

void main()
{
    uint64_t x = a[gl_GlobalInvocationID.x];
    atomicAdd(b[0], x);
    atomicMin(b[1], x);
    atomicMax(b[2], x);
    atomicAnd(b[3], x | 0xff0000000000ffUL);
    atomicOr(b[4], x & 0x8000000100000001UL);
    atomicXor(b[5], x);
    atomicExchange(b[6], 9UL);
    atomicCompSwap(b[7], 3UL, 4UL);
    atomicMin(d[0], int64_t(x));
    atomicMax(d[1], int64_t(x));
}
