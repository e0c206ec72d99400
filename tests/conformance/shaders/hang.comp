#version 450
// to[i] = from[i], as soon as from[i] is not 0: an input with a zero is a work-item that never ends.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Arguments { uint n; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    uint word;
    do
        word = atomicOr(from[i], 0u);
    while (word == 0u);
    to[i] = word;
}
