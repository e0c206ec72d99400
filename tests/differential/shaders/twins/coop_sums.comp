/* The same with the values in shared memory. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 80) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
layout(std430, binding = 4) readonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { float f[]; };
shared float xs[80];
shared uint ys[80];

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, lane = l % 32u;
    uint from = l - lane, to = min(from + 32u, 80u);

    xs[l] = a[i];
    ys[l] = b[i];
    barrier();
    float infinity = uintBitsToFloat(0x7f800000u);
    float sum = 0.0, lowest = infinity, highest = -infinity, before = 0.0, low_before = infinity;
    float high_here = -infinity, cluster = 0.0, halves = 0.0;
    for (uint k = from; k < to; k++) {
        float x = xs[k];
        if (k < l) {
            before += x;
            low_before = min(low_before, x);
        }
        if (k <= l)
            high_here = max(high_here, x * 0.5);
        if (k / 8u == l / 8u)
            cluster += x;
        sum += x;
        halves += x * 0.5;
        lowest = min(lowest, x);
        highest = max(highest, x);
    }
    c[i * 10u] = sum;
    c[i * 10u + 1u] = lowest;
    c[i * 10u + 2u] = highest;
    c[i * 10u + 3u] = before + xs[l];
    c[i * 10u + 4u] = before;
    c[i * 10u + 5u] = low_before;
    c[i * 10u + 6u] = high_here;
    c[i * 10u + 7u] = cluster;
    c[i * 10u + 8u] = sum;
    c[i * 10u + 9u] = halves;

    uint o[19] = uint[](0u, 1u, ~0u, 0u, 0x7fffffffu, 0x80000000u, ~0u, 0u, 0u, 0u, 0u, 1u, 0x7fffffffu, 0x80000000u, 0u,
                        0u, 1u, 0u, 0u);
    for (uint k = from; k < to; k++) {
        uint y = ys[k];
        o[0] += y;
        o[1] *= y | 1u;
        o[2] = min(o[2], y);
        o[3] = max(o[3], y);
        o[4] = uint(min(int(o[4]), int(y)));
        o[5] = uint(max(int(o[5]), int(y)));
        o[6] &= y | 0xffffff00u;
        o[7] |= y & 0x01010101u << (y & 7u);
        o[8] ^= y;
        o[9] += k <= l ? y : 0u;
        o[10] += k < l ? y : 0u;
        o[11] *= k < l ? y | 1u : 1u;
        o[12] = k < l ? uint(min(int(o[12]), int(y))) : o[12];
        o[13] = k <= l ? uint(max(int(o[13]), int(y))) : o[13];
        o[14] ^= k / 4u == l / 4u ? y : 0u;
        o[15] = max(o[15], y);
        o[16] &= (y & 3u) != 0u ? 1u : 0u;
        o[17] |= k <= l && (y & 15u) == 0u ? 1u : 0u;
        o[18] ^= k < l && (y & 1u) == 0u ? 1u : 0u;
    }
    for (uint k = 0u; k < 19u; k++)
        d[i * 20u + k] = o[k];
    d[i * 20u + 19u] = 3u * 256u + l / 32u * 64u + lane;

    for (uint k = l; k < 256u; k += 80u)
        f[gl_WorkGroupID.x * 256u + k] = float(e[gl_WorkGroupID.x * 256u + k]) * (31.0 * 0.125);
}
