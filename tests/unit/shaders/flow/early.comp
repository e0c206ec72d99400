#version 450
// A function that returns early, in a kernel whose threads do several items in CUDA: what follows it is done all the same.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Arguments { uint n; };

float kept(float value)
{
    if (value != value)
        return 1.0;
    return value * 2.0;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    y[i] = kept(x[i]);
}
