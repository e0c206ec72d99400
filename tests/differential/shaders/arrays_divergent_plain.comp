// The same element for a whole group, another one for each group, and structs behind other members.
//! in 0 u32 64
//! in 0 u32 80
//! in 0 u32 96
//! in 0 u32 112
//! out 1 u32 256
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
struct pair { uint a; uint b; };
layout(std430, binding = 0) readonly buffer In { uvec2 head; pair x[]; } from[4];
layout(std430, binding = 1) buffer Out { uint y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint k = gl_WorkGroupID.x;
    uint l = uint(from[k].x.length());
    y[i] = from[k].x[gl_LocalInvocationID.x % l].b * 3u + from[k].head.y + l;
}
