// Loops with barriers, and code behind barriers, that work-items leave by returning, where others leave another
// construct at the same place.
//! in 0 u32 512
//! inout 1 u32 1024
//! push u32 3
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer C { uint c[]; };
layout(push_constant) uniform Push { uint three; };
shared uint tile[64];
shared uint more;

/* The whole group leaves the function, and the loop would wait for what none of it writes. */
uint whole(uint i, uint local, uint x)
{
    if (i >= 320u)
        return x;
    if (local == 0u)
        more = 1u + a[gl_WorkGroupID.x] % 5u;
    uint sum = x;
    while (true) {
        barrier();
        tile[local] = sum;
        uint left = more;
        barrier();
        if (left == 0u)
            break;
        sum += tile[63u - local];
        if (local == 0u)
            more = left - 1u;
    }
    for (uint k = 0u; k < a[gl_WorkGroupID.x] % 4u; k++) {
        barrier();
        tile[local] = sum;
        barrier();
        sum = sum * 5u + tile[local ^ 1u];
    }
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    uint sum = whole(i, local, a[i]);
    c[i * 2u + 1u] = sum;
    /* Some leave the switch, and the others return. */
    switch (0) {
    default:
        if ((a[i] & 1u) == 0u)
            break;
        sum *= 3u;
        if (gl_WorkGroupID.x == 7u) {
            c[i * 2u] = sum;
            if (three == 3u)
                return;
        }
        sum += 5u;
    }
    if (gl_WorkGroupID.x == 7u) {
        c[i * 2u] = sum + 1u;
        return;
    }
    for (uint k = 0u;; k++) {
        barrier();
        tile[local] = sum + k;
        barrier();
        sum += tile[63u - local];
        if (k == (a[gl_WorkGroupID.x] & 3u)) {
            c[i * 2u] = sum;
            return;
        }
    }
}
