// The Vulkan memory model, with barriers of every kind.
//! in 0 u32 256
//! out 1 u32 256
//! groups 4 1 1
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer C { uint c[]; };
shared uint tile[64];

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    tile[local] = a[i];
    c[i] = a[i] * 3u;
    memoryBarrier();
    memoryBarrierBuffer();
    memoryBarrierShared();
    groupMemoryBarrier();
    barrier();
    c[i] += tile[local ^ 5u];
}
