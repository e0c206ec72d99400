#version 450
// state = state * 31 + data[0] + data[1] + …, of n; result[i] = data[i] + state. In one group.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer State { uint value; } state;
layout(std430, binding = 1) readonly buffer In { uint values[]; } data;
layout(std430, binding = 2) writeonly buffer Out { uint values[]; } result;
layout(push_constant) uniform Arguments { uint n; };

void main()
{
    if (gl_WorkGroupID != uvec3(0))
        return;
    uint sum = state.value * 31;
    for (uint i = 0; i < n; i++)
        sum += data.values[i];
    state.value = sum;
    for (uint i = 0; i < n; i++)
        result.values[i] = data.values[i] + sum;
}
