#version 450
// result[i] = data[i] * factor + addend.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; } data;
layout(std430, binding = 1) writeonly buffer Out { uint values[]; } result;
layout(push_constant) uniform Arguments { uint n, factor, addend; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        result.values[i] = data.values[i] * factor + addend;
}
