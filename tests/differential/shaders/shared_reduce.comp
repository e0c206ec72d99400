// A tree of sums in shared memory: barriers in a loop that all work-items go through.
//! in 0 u32 1024
//! out 1 u32 24
//! groups 8 1 1
#version 450
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
shared uint sums[128];
shared uvec2 extremes[128];

void main()
{
    uint local = gl_LocalInvocationID.x;
    uint x = a[gl_GlobalInvocationID.x];
    sums[local] = x;
    extremes[local] = uvec2(x);
    barrier();
    for (uint step = 64u; step > 0u; step >>= 1) {
        if (local < step) {
            sums[local] += sums[local + step];
            extremes[local].x = min(extremes[local].x, extremes[local + step].x);
            extremes[local].y = max(extremes[local].y, extremes[local + step].y);
        }
        barrier();
    }
    if (local < 2u)
        c[gl_WorkGroupID.x * 3u + local] = extremes[0][local];
    if (local == 0u)
        c[gl_WorkGroupID.x * 3u + 2u] = sums[0];
}
