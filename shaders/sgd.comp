#version 450
/* sgd: one step of gradient descent with momentum and weight decay
 *
 *      g = gradient[i] + decay * weights[i]
 *      velocity[i] = momentum * velocity[i] + g
 *      weights[i] -= rate * (nesterov ? g + momentum * velocity[i] : velocity[i])
 *
 * (I. Sutskever and others, "On the importance of initialization and momentum in deep learning", 2013,
 * in the form that PyTorch has; without dampening.)
 *
 * Arguments
 *     gradient        count floats
 *     weights         count floats, which the step changes
 *     velocity        count floats, which the step changes; 0 before the first
 *     rate            how far a step goes
 *     momentum        how much of the velocity stays, 0 to 1
 *     decay           how much weights shrink; 0 for not at all
 *     count           the number of weights
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     nesterov        1 looks ahead along the velocity (0)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(gradient), trm_arg_buffer(weights),
 *                                        trm_arg_buffer(velocity), trm_arg_f32(0.01f),
 *                                        trm_arg_f32(0.9f), trm_arg_f32(0), trm_arg_u32(count)};
 *     trm_kernel_named(device, "sgd", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, count, 1, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 7);
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint nesterov = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Gradient { float gradient[]; };
layout(std430, set = 0, binding = 1) restrict buffer Weights { float weights[]; };
layout(std430, set = 0, binding = 2) restrict buffer Velocity { float velocity[]; };

layout(push_constant) uniform Parameters {
    float rate;
    float momentum;
    float decay;
    uint count;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float weight = weights[i];
    float g = fma(decay, weight, gradient[i]);
    float v = fma(momentum, velocity[i], g);
    velocity[i] = v;
    weights[i] = weight - rate * (nesterov != 0 ? fma(momentum, v, g) : v);
}
