#version 450
// Specialization constants of all types, one of which is the size of a group.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint width = 4;
layout(constant_id = 2) const int offset = -3;
layout(constant_id = 3) const float factor = 0.5;
layout(constant_id = 4) const bool doubled = false;
layout(std430, binding = 0) buffer Out { float result[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= result.length())
        return;
    float value = float(i / width) * factor + float(offset);
    result[i] = doubled ? 2.0 * value : value;
}
