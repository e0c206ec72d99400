#version 450
// data[i] = data[i] * factor + addend, as the kernel "affine" of kernels.c.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Arguments { uint n; uint factor; uint addend; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        data[i] = data[i] * factor + addend;
}
