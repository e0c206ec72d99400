/* The body of the reduce_spans kernels: t[i] = (a[i] + b[i] + …) / divisor for up to four spans, or their least or
 * greatest element, in the order of the spans; written to up to four spans.
 *
 * Before it: ELEMENT, the type of the elements in memory; VALUE, the type that is computed with; LOAD(element)
 * and STORE(value), which convert between them; IS_NAN(value).
 *
 * A minimum or a maximum with a NaN is a NaN. No buffer is `restrict`: a span may be a source and a target.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 1) const uint reads = 0;
layout(constant_id = 2) const uint writes = 1;
layout(constant_id = 3) const uint averages = 0;

layout(std430, set = 0, binding = 0) readonly buffer A { ELEMENT a[]; };
layout(std430, set = 0, binding = 1) readonly buffer B { ELEMENT b[]; };
layout(std430, set = 0, binding = 2) readonly buffer C { ELEMENT c[]; };
layout(std430, set = 0, binding = 3) readonly buffer D { ELEMENT d[]; };
layout(std430, set = 0, binding = 4) writeonly buffer S { ELEMENT s[]; };
layout(std430, set = 0, binding = 5) writeonly buffer T { ELEMENT t[]; };
layout(std430, set = 0, binding = 6) writeonly buffer U { ELEMENT u[]; };
layout(std430, set = 0, binding = 7) writeonly buffer V { ELEMENT v[]; };

layout(push_constant) uniform Parameters {
    uint count;
    uint sources;
    uint targets;
    uint operation;
    uint divisor;
};

#include "combine.glsl"

/* The sum with constant counts: no load waits for another. */
VALUE sum(uint i)
{
    VALUE x = LOAD(a[i]), y = LOAD(b[i]);
    if (reads == 2)
        return x + y;
    VALUE z = LOAD(c[i]);
    if (reads == 3)
        return x + y + z;
    return x + y + z + LOAD(d[i]);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    if (reads > 1) {
        VALUE all = sum(i);
        if (averages != 0)
            all = all / VALUE(divisor);
        s[i] = STORE(all);
        if (writes > 1)
            t[i] = STORE(all);
        if (writes > 2)
            u[i] = STORE(all);
        if (writes > 3)
            v[i] = STORE(all);
        return;
    }
    VALUE value = LOAD(a[i]);
    if (sources > 1)
        value = combine(value, LOAD(b[i]));
    if (sources > 2)
        value = combine(value, LOAD(c[i]));
    if (sources > 3)
        value = combine(value, LOAD(d[i]));
    if (divisor > 1)
        value = value / VALUE(divisor);
    s[i] = STORE(value);
    if (targets > 1)
        t[i] = STORE(value);
    if (targets > 2)
        u[i] = STORE(value);
    if (targets > 3)
        v[i] = STORE(value);
}
