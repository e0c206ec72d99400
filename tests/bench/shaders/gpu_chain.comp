#version 450
/* A row of fused multiply-adds over vectors of four floats: the kernel of the suite "gpu".
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer From { vec4 from[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer To { vec4 to[]; };

layout(push_constant) uniform Parameters {
    uint count;
    uint links;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    vec4 v = from[i];
    for (uint link = 0; link < links; link++)
        v = fma(v, vec4(1.0001), vec4(0.5));
    to[i] = v;
}
