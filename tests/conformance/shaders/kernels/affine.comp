#version 450
// data[i] = data[i] * factor + addend.
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint values[]; } data;
layout(push_constant) uniform Arguments { uint n, factor, addend; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        data.values[i] = data.values[i] * factor + addend;
}
