#version 450
// to[n - 1 - i] = from[i] * factor + addend: groups write what other groups have read, or will read.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Arguments { uint n; uint factor; uint addend; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        to[n - 1 - i] = from[i] * factor + addend;
}
