// Neighbouring work-items use different elements of an array of buffers.
//! in 0 u32 256
//! in 0 u32 256
//! in 0 u32 256
//! out 1 u32 256
//! groups 4 1 1
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint x[]; } from[3];
layout(std430, binding = 1) buffer Out { uint y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint k = (i * 7u + 1u) % 3u;
    y[i] = from[nonuniformEXT(k)].x[i] ^ from[nonuniformEXT((k + i) % 3u)].x[255u - i];
}
