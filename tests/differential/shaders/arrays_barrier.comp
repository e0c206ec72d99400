// Elements of arrays before and behind barriers, with indices that live across them.
//! in 0 f32 256
//! in 0 f32 256
//! in 0 f32 256
//! out 1 f32 256
//! out 1 f32 256
//! groups 4 1 1
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { float x[]; } from[3];
layout(std430, binding = 1) coherent buffer Out { float y[]; } to[2];
shared float tile[64];

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    uint k = (l * 5u) % 3u;
    tile[l] = from[nonuniformEXT(k)].x[i];
    barrier();
    float other = tile[63u - l];
    to[nonuniformEXT(l & 1u)].y[i] = other + from[nonuniformEXT((k + 1u) % 3u)].x[i];
    memoryBarrierBuffer();
    barrier();
    if (l < 32u)
        to[1].y[i ^ 1u] = tile[l] * float(k);
}
