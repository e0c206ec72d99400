#version 450
// result[i] = data[i] + 1. As a C function it fails where the first number is the mark; a shader cannot.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; } data;
layout(std430, binding = 1) writeonly buffer Out { uint values[]; } result;
layout(push_constant) uniform Arguments { uint n, mark; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n && data.values[0] != mark)
        result.values[i] = data.values[i] + 1;
}
