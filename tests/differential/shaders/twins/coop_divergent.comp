/* The same: each work-item follows all of its subgroup, round by round. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 100) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint d[]; };
layout(std430, binding = 4) readonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { float f[]; };
layout(push_constant) uniform Arguments { uint rows; };
shared uint xs[100];

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, lane = l % 32u, group = gl_WorkGroupID.x;
    uint from = l - lane, count = min(32u, 100u - from);

    xs[l] = a[i];
    barrier();
    for (uint row = l; row < rows; row += 100u) {
        float sum = 0.0;
        for (uint k = 0u; k < 16u; k++)
            sum += b[(group * 32u + row) * 16u + k];
        c[group * 32u + row] = sum;
    }

    uint left[32], rounds = 0u, seen = 0u, total = 0u, which = 0u;
    for (uint k = 0u; k < count; k++)
        left[k] = xs[from + k];
    for (;;) {
        uint sum = 0u, highest = 0u, bits = 0u;
        for (uint k = 0u; k < count; k++) {
            sum += left[k];
            highest = max(highest, left[k]);
        }
        if (highest == 0u || left[lane] == 0u)
            break;
        seen += sum;
        if (highest == 3u) {
            seen += 100000u;
            break;
        }
        for (uint k = 0u; k < count; k++)
            bits |= left[k] > 9u && (left[k] & 7u) != 5u ? 1u << k : 0u;
        if ((left[lane] & 7u) == 5u) {
            rounds += 16u;
        } else {
            seen ^= bits;
            rounds++;
        }
        for (uint k = 0u; k < count; k++)
            left[k] -= left[k] == 0u ? 0u : (left[k] & 7u) == 5u ? 2u : 1u;
    }
    d[i * 5u] = rounds;
    d[i * 5u + 1u] = seen;

    uint x = xs[l], climbed = 0u;
    for (uint k = 0u; k < 20u; k++) {
        if (x + k > 40u) {
            climbed += k * 1000u;
            break;
        }
        for (uint o = 0u; o < count; o++)
            climbed += xs[from + o] + k <= 40u && (xs[from + o] + k & 3u) == 0u ? 1u : 0u;
    }
    d[i * 5u + 2u] = climbed;

    for (uint k = 0u; k < (x & 3u); k++) {
        for (uint j = 0u; j <= k + (x >> 4u); j++)
            for (uint o = 0u; o < lane; o++)
                total += (xs[from + o] & 3u) > k && j <= k + (xs[from + o] >> 4u) ? j + 1u : 0u;
        uint lowest = ~0u, highest = 0u;
        for (uint o = 0u; o < count; o++) {
            uint y = xs[from + o];
            if ((y & 3u) <= k)
                continue;
            if ((y & 4u) != 0u)
                lowest = min(lowest, y + k);
            else
                highest = max(highest, y * 8u);
        }
        if ((x & 4u) != 0u) {
            which = k + 1u;
            total += lowest;
        } else {
            which = 7u;
            total ^= highest;
        }
    }
    d[i * 5u + 3u] = total;
    d[i * 5u + 4u] = which;
    for (uint k = l; k < 256u && group == 0u; k += 100u)
        f[k] = float(e[k]) * 2.5;
}
