#version 450
/* axpy: y[i] = a * x[i] + y[i], the `saxpy` of BLAS level 1 with strides of one
 *
 * Arguments
 *     x               count floats
 *     y               count floats, which the results replace
 *     a               the factor
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(2),
 *                                        trm_arg_u32(count)};
 *     trm_kernel_named(device, "axpy", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, count, 1, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 4);
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer X { float x[]; };
layout(std430, set = 0, binding = 1) restrict buffer Y { float y[]; };

layout(push_constant) uniform Parameters {
    float a;
    uint count;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    y[i] = fma(a, x[i], y[i]);
}
