// 256 numbers sorted by a group: barriers in two nested loops.
//! in 0 u32 1024
//! out 1 u32 1024
//! groups 4 1 1
#version 450
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
shared uint keys[256];

void main()
{
    uint local = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 256u;
    keys[local] = a[base + local];
    keys[local + 128u] = a[base + local + 128u];
    for (uint size = 2u; size <= 256u; size *= 2u) {
        for (uint stride = size / 2u; stride > 0u; stride /= 2u) {
            barrier();
            uint low = (local / stride) * stride * 2u + local % stride;
            uint high = low + stride;
            bool rising = (low & size) == 0u;
            uint x = keys[low], y = keys[high];
            if ((x > y) == rising) {
                keys[low] = y;
                keys[high] = x;
            }
        }
    }
    barrier();
    c[base + local] = keys[local];
    c[base + local + 128u] = keys[local + 128u];
}
