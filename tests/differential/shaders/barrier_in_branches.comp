// Barriers in branches, switches and loops that depend on what is the same for the whole group.
//! in 0 u32 512
//! out 1 u32 512
//! push u32 3
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
layout(push_constant) uniform Push { uint rounds; };
shared uint tile[64];
shared uint limit;

uint turn(uint local, uint by)
{
    barrier();
    uint value = tile[(local + by) & 63u];
    barrier();
    tile[local] = value + by;
    return value;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
    uint sum = 0u;
    tile[local] = a[i];
    if (local == 0u)
        limit = 1u + group % 3u;
    barrier();
    uint most = limit;
    if (group % 2u == 0u) {
        sum += turn(local, 1u);
        for (uint k = 0u; k < rounds; k++) {
            if (k == most)
                break;
            sum = sum * 3u + turn(local, k + 2u);
            if ((group & 4u) != 0u)
                continue;
            sum ^= turn(local, 5u);
        }
    } else {
        switch (group) {
        case 1u:
            sum += turn(local, 7u);
        case 3u:
            sum += turn(local, 9u) * 2u;
            break;
        default:
            tile[local] ^= local;
            sum += turn(local, 11u);
        }
    }
    uint k = 0u;
    do {
        uint mine = local < 32u ? tile[local] : sum;
        barrier();
        tile[63u - local] = mine;
        barrier();
        sum += tile[local] >> k;
        k++;
    } while (k < most);
    c[i] = sum;
}
