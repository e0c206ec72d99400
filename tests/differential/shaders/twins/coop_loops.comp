/* The same with scalars and shared memory. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) buffer C { float c[]; };
layout(std430, binding = 3) readonly buffer D { uint d[]; };
layout(std430, binding = 4) writeonly buffer E { uint e[]; };
layout(push_constant) uniform Arguments { uint blocks; uint skipped; };
shared float tile[256];
shared uint ds[32];

void main()
{
    uint lane = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
    float largest = -1e30, sum = 0.0;

    for (uint j = 0u; j < blocks; j++) {
        if (j == skipped)
            continue;
        for (uint at = lane; at < 256u; at += 32u) {
            float s = 0.0;
            for (uint k = 0u; k < 16u; k++)
                s += float(a[(group * 8u + j) * 256u + at / 16u * 16u + k]) * float(b[group * 256u + k * 16u + at % 16u]);
            tile[at] = s;
        }
        barrier();
        float before = largest, part = 0.0;
        for (uint at = 0u; at < 256u; at++)
            largest = max(largest, tile[at]);
        for (uint at = 0u; at < 256u; at++)
            part += exp(tile[at] - largest);
        sum = sum * exp(before - largest) + part;
        barrier();
    }
    c[group * 256u + lane] = largest;
    c[group * 256u + 32u + lane] = sum;
    c[group * 256u + 64u + lane] += sum * float(lane + 1u);

    ds[lane] = d[group * 32u + lane];
    barrier();
    uint rounds = 0u, total = 0u;
    for (;;) {
        bool any = false, all = true;
        for (uint k = 0u; k < 32u; k++)
            any = any || ds[k] > rounds;
        if (!any)
            break;
        for (uint k = 0u; k < 32u; k++)
            total += ds[k] > rounds + 2u ? rounds + 1u : 0u;
        rounds++;
        for (uint k = 0u; k < 32u; k++)
            all = all && ds[k] == rounds + 1u;
        if (all)
            break;
    }
    e[(group * 32u + lane) * 4u] = rounds;
    e[(group * 32u + lane) * 4u + 1u] = total;
    uint own = ds[lane], seen = 0u, highest = 0u, lowest = ~0u;
    for (uint k = 0u; k < 10u; k++) {
        if (own == k)
            continue;
        for (uint other = 0u; other < 32u; other++)
            seen += ds[other] == k ? 0u : (ds[other] + k) * (k + 1u);
    }
    for (uint k = 0u; k < 32u; k++) {
        highest = max(highest, ds[k] + k);
        lowest = min(lowest, ds[k]);
    }
    e[(group * 32u + lane) * 4u + 2u] = seen;
    e[(group * 32u + lane) * 4u + 3u] = blocks == 8u ? highest : lowest;
}
