// Work-items that leave before barriers that whole groups reach, and groups that leave as a whole.
//! in 0 u32 320
//! inout 1 u32 320
//! push u32 250
//! groups 5 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer C { uint c[]; };
layout(push_constant) uniform Push { uint count; };
shared uint tile[64];

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    if (gl_WorkGroupID.x == 1u)
        return;
    uint x = i < count ? a[i] : 0u;
    tile[local] = x;
    barrier();
    uint y = tile[local ^ 1u];
    if (gl_WorkGroupID.x == 2u) {
        barrier();
        tile[local] = y * 3u;
        barrier();
        y += tile[63u - local];
    }
    if (i >= count)
        return;
    if (y % 3u == 0u) {
        c[i] = y;
        return;
    }
    c[i] += x + y;
}
