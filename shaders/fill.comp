#version 450
/* fill: target[i] = value
 *
 * Arguments
 *     target          count floats
 *     value           what each becomes
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(target), trm_arg_f32(1), trm_arg_u32(count)};
 *     trm_kernel_named(device, "fill", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, count, 1, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 3);
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
