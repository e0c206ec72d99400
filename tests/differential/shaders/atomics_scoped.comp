// Atomic loads and stores, and operations with scopes and orders.
//! inout 0 u32 8 range 0 100
//! out 1 u32 256
//! groups 4 1 1
#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
shared uint last;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = atomicLoad(a[0], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    atomicStore(last, 5u, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelease);
    atomicAdd(a[1], 3u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    atomicMax(a[2], i, gl_ScopeDevice, 0, 0);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    atomicStore(a[3], 7u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    atomicCompSwap(a[4], 1000u, 1u, gl_ScopeDevice, 0, 0, 0, 0);
    c[i] = x + last * 1000u;
}
