// Switches in which all work-items of a group take a case with a barrier, or each takes its own of the others.
// There is no condition but theirs, and so no type of booleans.
//! in 0 u32 1024
//! out 1 u32 1024
//! groups 16 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
shared uint tile[64];

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
    uint sum = a[i], own = a[i] % 6u, all = 6u + a[group] % 5u, with = a[group + 16u] & 1u;
    tile[local] = sum;
    switch (own * (1u - with) + all * with) {
    case 0u:
        sum += 5u;
        break;
    case 1u:
        sum *= 5u;
    case 2u:
        sum *= 7u;
        break;
    case 3u:
        switch (local & 1u) {
        case 0u:
            sum ^= 77u;
        }
        break;
    case 6u:
    case 7u:
        sum += local;
    case 8u:
        barrier();
        sum ^= tile[63u - local];
        switch (local & 3u) {
        case 1u:
            sum += 1u;
        }
    case 9u:
        sum += 3u;
        break;
    case 10u:
        barrier();
        sum -= tile[local ^ 1u];
        break;
    default:
        sum -= 1u;
        break;
    }
    /* The default is with a barrier, and some leave the switch before the others are at its end. */
    switch (own * (1u - with) + all * with) {
    case 0u:
    case 1u:
        sum *= 3u;
        break;
    case 2u:
    case 3u:
    case 4u:
    case 5u:
        break;
    default:
        barrier();
        tile[local] = sum;
        barrier();
        sum += tile[local ^ 7u];
        switch (a[i] & 1u) {
        case 0u:
            c[i] = sum;
            return;
        }
        sum += 9u;
        break;
    }
    c[i] = sum * 2u;
}
