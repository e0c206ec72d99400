#version 450
// Two constants of one id, each with a default of its own: the size of a group and `block`. Constants of higher ids
// come after them in the module's list.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint block = 64;
layout(constant_id = 1) const uint first = 10;
layout(constant_id = 2) const uint second = 200;
layout(constant_id = 3) const uint third = 3000;
layout(std430, binding = 0) buffer Out { uint result[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < result.length())
        result[i] = i < 4u ? uvec4(block, first, second, third)[i] : gl_WorkGroupSize.x;
}
