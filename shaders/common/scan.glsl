/* The body of the scan kernels. Before it: ELEMENT, the type.
 *
 * A group scans a block of group size x per_item elements in shared memory: each item adds up per_item
 * neighbours one after the other, the items' sums are scanned by doubling distances (Hillis and Steele,
 * "Data parallel algorithms", 1986), and each item goes over its neighbours again. An odd per_item keeps
 * the items of a warp on different banks of the memory.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint exclusive = 0;
layout(constant_id = 4) const uint per_item = 7;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { ELEMENT source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { ELEMENT target[]; };
layout(std430, set = 0, binding = 2) writeonly restrict buffer Sums { ELEMENT sums[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

shared ELEMENT block[gl_WorkGroupSize.x * per_item];
shared ELEMENT totals[2 * gl_WorkGroupSize.x];

void main()
{
    const uint size = gl_WorkGroupSize.x;
    const uint item = gl_LocalInvocationID.x;
    const uint begin = gl_WorkGroupID.x * size * per_item;

    for (uint k = 0; k < per_item; k++) {
        uint i = k * size + item;
        block[i] = begin + i < count ? source[begin + i] : ELEMENT(0);
    }
    barrier();

    ELEMENT total = ELEMENT(0);
    for (uint k = 0; k < per_item; k++)
        total += block[item * per_item + k];
    totals[item] = total;
    barrier();

    /* Two halves take turns: what one step reads, no other item writes in it. */
    uint from = 0;
    for (uint distance = 1; distance < size; distance *= 2) {
        ELEMENT sum = totals[from + item];
        if (item >= distance)
            sum += totals[from + item - distance];
        from = size - from;
        totals[from + item] = sum;
        barrier();
    }

    ELEMENT before = item > 0 ? totals[from + item - 1] : ELEMENT(0);
    for (uint k = 0; k < per_item; k++) {
        ELEMENT value = block[item * per_item + k];
        block[item * per_item + k] = exclusive != 0 ? before : before + value;
        before += value;
    }
    barrier();

    for (uint k = 0; k < per_item; k++) {
        uint i = k * size + item;
        if (begin + i < count)
            target[begin + i] = block[i];
    }
    if (item == 0)
        sums[gl_WorkGroupID.x] = totals[from + size - 1];
}
