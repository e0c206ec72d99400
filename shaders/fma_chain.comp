#version 450
/* fma_chain: v = a * v + b, `links` times over, begun with v = source[i]; target[i] = v
 *
 * It measures a device. With few links the rate is that of the memory, with many that of the
 * arithmetic. Each step needs the one before, so many elements keep a device busy.
 *
 * Arguments
 *     source          count floats
 *     target          count floats
 *     a               the factor of a step; 1 by default in `trireme run`
 *     b               is added in a step; 0 by default in `trireme run`
 *     count           the number of elements
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     links           steps for each element (32)
 * Example
 *     trireme run --raw f32 -k fma_chain:a=0.5,b=1,links=8 numbers.f32 result.f32
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint links = 32;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    float a;
    float b;
    uint count;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float v = source[i];
    for (uint link = 0; link < links; link++)
        v = fma(a, v, b);
    target[i] = v;
}
