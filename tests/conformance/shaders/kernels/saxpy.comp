#version 450
// y[i] = y[i] + a * x[i].
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float values[]; } x;
layout(std430, binding = 1) buffer Y { float values[]; } y;
layout(push_constant) uniform Arguments { float a; uint n; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        y.values[i] += a * x.values[i];
}
