#version 450
// result[i] = data[i] * factor + table[i], the table being repeated.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; } data;
layout(std430, binding = 1) readonly buffer Table { uint values[]; } table;
layout(std430, binding = 2) writeonly buffer Out { uint values[]; } result;
layout(push_constant) uniform Arguments { uint n, factor; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        result.values[i] = data.values[i] * factor + table.values[i % table.values.length()];
}
