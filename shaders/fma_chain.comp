#version 450
/* fma_chain: v = a * v + b, `links` times over, begun with v = source[i]; target[i] = v
 *
 * As much arithmetic for each element as is asked for: with few links a device shows how fast its memory
 * is, with many how fast it computes. Each step needs the one before, so what keeps a device busy are the
 * many elements.
 *
 * source, target   count floats each
 * Launch      count items in x
 * Constants   0: items of a group (256); links (32)
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
