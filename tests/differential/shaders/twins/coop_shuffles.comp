/* The same with the values in shared memory. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
layout(std430, binding = 4) readonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { float f[]; };
shared float xs[64];
shared uint ys[64];

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, lane = l % 32u, from = l - lane;

    xs[l] = a[i];
    ys[l] = b[i];
    barrier();
    uint y = ys[l];
    c[i * 6u] = xs[from + 7u];
    c[i * 6u + 1u] = xs[from];
    c[i * 6u + 2u] = xs[from + (y & 31u)];
    c[i * 6u + 3u] = xs[from + (y & 31u)] * 2.0;
    c[i * 6u + 4u] = lane >= 3u ? xs[l - 3u] : 0.0;
    c[i * 6u + 5u] = lane < 27u ? xs[l + 5u] : 0.0;
    d[i * 8u] = ys[l ^ 5u];
    d[i * 8u + 1u] = ys[l ^ 16u];
    d[i * 8u + 2u] = ys[(l & ~3u) + 2u];
    d[i * 8u + 3u] = ys[l ^ 1u];
    d[i * 8u + 4u] = ys[l ^ 2u];
    d[i * 8u + 5u] = ys[l ^ 3u];
    d[i * 8u + 6u] = ys[from + 31u - lane] & 1u;
    uint first = from;
    while (first < from + 31u && (ys[first] & 1u) == 0u)
        first++;
    d[i * 8u + 7u] = (y & 1u) != 0u ? ys[first] : 0u;
    for (uint k = l; k < 128u; k += 64u)
        if (gl_WorkGroupID.x * 128u + k < 256u)
            f[gl_WorkGroupID.x * 128u + k] = float(e[gl_WorkGroupID.x * 128u + k]) * 12.0;
}
