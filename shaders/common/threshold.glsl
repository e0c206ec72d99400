/* The body of threshold and threshold_u8. Before it: ELEMENT, the type of a sample; NUMBER, that of a
 * parameter.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint mode = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { ELEMENT source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { ELEMENT target[]; };

layout(push_constant) uniform Parameters {
    NUMBER level;
    NUMBER low;
    NUMBER high;
    uint count;
};

NUMBER apply(NUMBER value)
{
    bool above = value > level;
    switch (mode) {
    case 1:
        return above ? level : value;
    case 2:
        return above ? value : low;
    case 3:
        return above ? high : value;
    default:
        return above ? high : low;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    target[i] = ELEMENT(apply(NUMBER(source[i])));
}
