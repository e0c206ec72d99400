#version 450
// One parameter of each kind: two buffers, a vector, scalars, an array.
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 1) writeonly buffer Out { float result[]; };
layout(std430, set = 0, binding = 0) readonly buffer In { float x[]; };
layout(push_constant) uniform Arguments { vec4 weights; float scale; int shift; uint n; uint table[4]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        result[i] = x[i] * scale + weights[i % 4] + float(shift) + float(table[i % 4]);
}
