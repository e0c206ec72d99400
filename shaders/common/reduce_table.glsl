/* The body of the reduce_table kernels: for each row of a table, t[i] = (a[i] + b[i] + …) / divisor, or the least or
 * greatest element, in the order of the sources; written to all targets.
 *
 * Before it: what common/reduce_spans.glsl takes, and ALIGNMENT, the bytes of an element.
 *
 * A row has 2 + 2 * (sources + targets) words: the group that begins with its first element, the number of its
 * elements, the addresses of its sources and those of its targets, each with the lower half first.
 *
 * The results are those of the reduce_spans kernels, which combine four spans, and then their result with three
 * more at a time. So many are loaded before the first of them is needed.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;

layout(buffer_reference, std430, buffer_reference_align = ALIGNMENT) buffer Elements { ELEMENT e[]; };
layout(std430, set = 0, binding = 0) readonly buffer Table { uint table[]; };

layout(push_constant) uniform Parameters {
    uint rows;
    uint sources;
    uint targets;
    uint operation;
    uint divisor;
};

#define ROW_WORDS 66 /* 16 sources, 16 targets */
#include "table_row.glsl"

Elements span(uint k) { return Elements(uvec2(row[2 + 2 * k], row[3 + 2 * k])); }

#include "combine.glsl"

/* `x` with the sources from `k` on, three of them at most. */
VALUE combine_three(VALUE x, uint k, uint i)
{
    VALUE a = x, b = x, c = x;

    if (k < sources)
        a = LOAD(span(k).e[i]);
    if (k + 1 < sources)
        b = LOAD(span(k + 1).e[i]);
    if (k + 2 < sources)
        c = LOAD(span(k + 2).e[i]);
    if (k < sources)
        x = combine(x, a);
    if (k + 1 < sources)
        x = combine(x, b);
    if (k + 2 < sources)
        x = combine(x, c);
    return x;
}

void main()
{
    find_row(2 + 2 * (sources + targets));
    uint i = (gl_WorkGroupID.x - row[0]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (i >= row[1])
        return;
    VALUE value = combine_three(LOAD(span(0).e[i]), 1, i);
    for (uint k = 4; k < sources; k += 3)
        value = combine_three(LOAD(STORE(value)), k, i);
    if (divisor > 1)
        value = value / VALUE(divisor);
    for (uint k = 0; k < targets; k++)
        span(sources + k).e[i] = STORE(value);
}
