#version 450
// Loops of each item through a buffer, in which items side by side read elements side by side; one for each
// value of `kind`.
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint kind = 0u;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform Arguments { uint n; uint begin; int low; };
shared uint sums[32];
void main()
{
    uint l = gl_LocalInvocationID.x, total = gl_NumWorkGroups.x * 32u, sum = 0u, last = 0u;
    if (kind == 0u) {
        for (uint i = gl_GlobalInvocationID.x; i < n; i += total)
            sum += x[i];
    } else if (kind == 1u) {
        for (int i = int(l) + low; i <= int(n); i += 32) {
            if (i >= 0 && (i & 3) != 1)
                sum = sum * 3u + x[i];
            last = uint(i);
        }
    } else if (kind == 2u) {
        if (n > 100u)
            for (uint k = 0u; k < n; k += 32u)
                sum += x[k + l] * (k + 1u);
    } else if (kind == 3u) {
        for (uint i = begin + 2u * gl_GlobalInvocationID.x; n > i; i += 2u * total) {
            uint swap = sum;
            sum = last + x[i];
            last = swap + x[i + 1u];
        }
    } else if (kind == 4u) {
        for (uint i = l; i < n; i += 32u)
            atomicAdd(y[i], 1u);
        for (uint i = l; i < n; i += 32u)
            sum += x[i];
        for (uint k = 0u; k < 3u; k++)
            sum = sum * 5u + x[k * 32u + l];
    } else if (kind == 5u) {
        for (uint k = 0u; k < n; k++)
            sum = sum * 3u + x[uint(clamp(int(k + begin) - 3, 0, 40)) * 32u + l];
    } else {
        uint i = l;
        do {
            sum += x[i];
            i += 32u;
        } while (i < n);
    }
    sums[l] = sum * 7u + last;
    barrier();
    y[2048u + gl_GlobalInvocationID.x] = sums[l ^ 1u];
}
