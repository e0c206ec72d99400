/* The body of the reduce kernels. Before it: ELEMENT, the type; LEAST and GREATEST, its ends, from which
 * maximum and minimum begin.
 *
 * A group reduces a block of 16 elements for each item: an item takes every group-size-th of them, so
 * that neighbours read neighbours, and then the items' results as a tree.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint operation = 0;

const uint per_item = 16;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { ELEMENT source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Partial { ELEMENT partial[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

shared ELEMENT tree[gl_WorkGroupSize.x];

ELEMENT combine(ELEMENT p, ELEMENT q)
{
    switch (operation) {
    case 1:
        return min(p, q);
    case 2:
        return max(p, q);
    default:
        return p + q;
    }
}

ELEMENT neutral()
{
    return operation == 1 ? GREATEST : operation == 2 ? LEAST : ELEMENT(0);
}

void main()
{
    const uint size = gl_WorkGroupSize.x;
    const uint item = gl_LocalInvocationID.x;
    const uint begin = gl_WorkGroupID.x * size * per_item;

    /* The condition is uniform in the group. Each branch has its own barrier, so that the translation for the
     * cpu can turn each into a loop over the items that reads the block from one end to the other. */
    if (begin + size * per_item <= count) {
        ELEMENT sum = source[begin + item];
        for (uint k = 1; k < per_item; k++)
            sum = combine(sum, source[begin + k * size + item]);
        tree[item] = sum;
        barrier();
    } else {
        ELEMENT sum = neutral();
        for (uint k = 0; k < per_item; k++) {
            uint i = begin + k * size + item;
            if (i < count)
                sum = combine(sum, source[i]);
        }
        tree[item] = sum;
        barrier();
    }

    for (uint left = size; left > 1;) {
        uint upper = (left + 1) / 2;
        if (item + upper < left)
            tree[item] = combine(tree[item], tree[item + upper]);
        left = upper;
        barrier();
    }
    if (item == 0)
        partial[gl_WorkGroupID.x] = tree[0];
}
