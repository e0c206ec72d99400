// Atomics on elements of an array of buffers and of an array of images.
//! inout 0 u32 5
//! inout 0 u32 5
//! inout 0 u32 5
//! image inout 1 r32ui 2d 4 1 1 1
//! image inout 1 r32ui 2d 4 1 1 1
//! out 2 u32 256
//! groups 4 1 1
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Count { uint n[]; } counts[3];
layout(binding = 1, r32ui) uniform uimage2D images[2];
layout(std430, binding = 2) buffer Out { uint y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    atomicAdd(counts[nonuniformEXT(i % 3u)].n[i & 3u], i);
    atomicMax(counts[1].n[4], i * 5u);
    imageAtomicAdd(images[nonuniformEXT(i & 1u)], ivec2(i % 4u, 0), i);
    y[i] = uint(counts[nonuniformEXT((i + 1u) % 3u)].n.length());
}
