/* The body of the scan_add kernels. Before it: ELEMENT, the type. Group size and per_item are those of
 * scan.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 4) const uint per_item = 7;

layout(std430, set = 0, binding = 0) readonly restrict buffer Offsets { ELEMENT offsets[]; };
layout(std430, set = 0, binding = 1) restrict buffer Target { ELEMENT target[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

void main()
{
    const uint size = gl_WorkGroupSize.x;
    const uint begin = gl_WorkGroupID.x * size * per_item + gl_LocalInvocationID.x;
    const ELEMENT offset = offsets[gl_WorkGroupID.x];
    for (uint k = 0; k < per_item; k++) {
        uint i = begin + k * size;
        if (i < count)
            target[i] += offset;
    }
}
