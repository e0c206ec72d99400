#version 450
// Values that live across barriers, some of them of items that have left; a group of three dimensions.
layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint turn[24];
shared uint total;
void main()
{
    uint l = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 24u + l;
    uvec3 mine = gl_LocalInvocationID * uvec3(1u, 10u, 100u) + data[g];
    uint history[3];
    history[0] = mine.x;
    turn[l] = mine.y;
    if (l == 0u)
        total = 0u;
    barrier();
    uint other = turn[(l + 5u) % 24u];
    history[1] = other;
    if (data[g] % 5u == 4u && l != 0u)
        return;
    atomicAdd(total, other);
    barrier();
    history[2] = mine.z;
    uint sum = 0u;
    for (uint i = 0u; i < 3u; i++)
        sum += history[(i + l) % 3u] * (i + 1u);
    data[g] = sum + total;
}
