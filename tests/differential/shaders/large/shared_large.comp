// More shared memory than a group of CUDA has without asking for it.
//! out 0 u32 256
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly restrict buffer C { uint c[]; };
shared uint many[15000];
shared vec4 some[64];
shared uint one;

void main()
{
    uint i = gl_LocalInvocationID.x;
    for (uint k = i; k < 15000u; k += 64u)
        many[k] = k * 3u;
    some[i] = vec4(float(i));
    if (i == 0u)
        one = gl_WorkGroupID.x;
    barrier();
    c[gl_GlobalInvocationID.x] = many[(i * 237u + 5u) % 15000u] + uint(some[63u - i].y) + one;
}
