#version 450
// Each group reverses its part, with shared memory and a barrier that every item of a group reaches.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
shared uint part[64];

void main()
{
    uint local = gl_LocalInvocationID.x;
    part[local] = data[gl_GlobalInvocationID.x];
    barrier();
    data[gl_GlobalInvocationID.x] = part[63 - local];
}
