// Variables of the work-item outside of functions, with initial values, in branches and over barriers.
//! in 0 u32 256
//! out 1 u32 256
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
uint counter = 5u;
uvec3 v = uvec3(1u, 2u, 3u);
uint stack[16];
uint depth = 0u;
shared uint tile[64];

void push(uint x)
{
    if (depth < 16u)
        stack[depth++] = x;
}

uint pop()
{
    return depth == 0u ? 99u : stack[--depth];
}

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    uint x = a[i];
    for (uint k = 0u; k < 32u; k++) {
        if ((x >> k & 1u) != 0u)
            push(k * x);
        else
            counter += pop();
    }
    v[x % 3u] += counter;
    tile[local] = v.x + v.y * v.z;
    barrier();
    push(tile[63u - local]);
    counter ^= pop() + pop();
    c[i] = counter + depth * 7u + v.z;
}
