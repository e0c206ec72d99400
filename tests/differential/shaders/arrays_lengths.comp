// Lengths of the elements of an array, where a branch decides and in the condition of a loop.
//! in 0 u32 10
//! in 0 u32 33
//! in 0 u32 64
//! in 0 u32 1
//! out 1 u32 64
//! push u32 3
//! groups 1 1 1
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint x[]; } from[4];
layout(std430, binding = 1) buffer Out { uint y[]; };
layout(push_constant) uniform Push { uint most; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint k = i % 6u, sum = 0u;
    if (k <= most)
        sum = uint(from[nonuniformEXT(k)].x.length()) * 100000u;
    for (uint n = 0u; n < uint(from[i & 3u].x.length()); n++)
        sum += from[i & 3u].x[n] & 255u;
    y[i] = sum;
}
