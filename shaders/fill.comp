#version 450
/* fill: target[i] = value
 *
 * target      count floats
 * Launch      count items in x
 * Constants   0: items of a group (256)
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    float value;
    uint count;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    target[i] = value;
}
