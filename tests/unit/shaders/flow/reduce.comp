#version 450
// The sum of each group's elements, by a tree in shared memory.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Arguments { uint n; };
shared uint tree[64];
void main()
{
    uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
    tree[l] = i < n ? x[i] : 0u;
    barrier();
    for (uint k = 32u; k > 0u; k >>= 1) {
        if (l < k)
            tree[l] += tree[l + k];
        barrier();
    }
    if (l == 0u)
        sums[gl_WorkGroupID.x] = tree[0];
}
