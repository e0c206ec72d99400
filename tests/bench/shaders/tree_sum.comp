#version 450
/* The sum of n floats as it is written for graphics cards: neighbours read neighbours, then a tree in shared
 * memory. */
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) writeonly buffer O { float o[]; };
layout(push_constant) uniform Numbers { uint n; };
shared float t[256];

void main()
{
    uint l = gl_LocalInvocationID.x;
    float s = 0;
    for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * 256u)
        s += x[i];
    t[l] = s;
    barrier();
    for (uint k = 128u; k > 0u; k >>= 1) {
        if (l < k)
            t[l] += t[l + k];
        barrier();
    }
    if (l == 0u)
        o[gl_WorkGroupID.x] = t[0];
}
