#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_KHR_memory_scope_semantics : require
// Atomics of buffers and of shared memory.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Counters { uint counters[16]; int least; int most; };
layout(std430, binding = 1) buffer Wide { uint64_t wide[8]; };
layout(std430, binding = 2) buffer Floats { float sum; float other; };
layout(std430, binding = 3) writeonly buffer Seen { uint seen[]; };
shared uint bins[16];
shared int low;
shared float total;

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    if (l < 16u)
        bins[l] = 0u;
    if (l == 0u) {
        low = 1000;
        total = 0.0;
    }
    barrier();
    seen[i] = atomicAdd(counters[0], 1u);
    atomicAdd(counters[1], i);
    atomicAdd(counters[2], 0xffffffffu);
    atomicMin(counters[3], i);
    atomicMax(counters[4], i);
    atomicAnd(counters[5], ~(1u << (i & 31u)));
    atomicOr(counters[6], 1u << (i & 31u));
    atomicXor(counters[7], i * 2654435761u);
    atomicMin(least, int(i) - 100);
    atomicMax(most, int(i) - 100);
    if (atomicCompSwap(counters[8], i, i + 1u) == i)
        atomicAdd(counters[9], 1u);
    atomicExchange(counters[10], i | 0x80000000u);
    atomicAdd(wide[0], 0x100000000ul + uint64_t(i));
    atomicMax(wide[1], uint64_t(i) << 33);
    atomicMin(wide[2], uint64_t(i) << 33);
    atomicXor(wide[3], uint64_t(i) * 0x9e3779b97f4a7c15ul);
    atomicAdd(sum, 0.5);
    atomicAdd(bins[i & 15u], i);
    atomicMax(bins[15], l * 3u);
    atomicMin(low, int(l) - 7);
    atomicAdd(total, 0.25);
    memoryBarrier();
    barrier();
    if (l < 16u)
        atomicAdd(wide[4], uint64_t(bins[l]));
    if (l == 0u) {
        atomicAdd(other, total);
        atomicAdd(counters[11], uint(low + 100));
        atomicStore(counters[12], atomicLoad(counters[13], gl_ScopeDevice, 0, 0) + 1u, gl_ScopeDevice, 0, 0);
    }
}
