#version 450
// A buffer as floats and as vectors of four.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 0) readonly buffer X4 { vec4 x4[]; };
layout(std430, binding = 1) buffer Y { float y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < uint(x4.length()))
        y[i] = dot(x4[i], vec4(1.0)) - x[4u * i];
}
