// Barriers to which all work-items of a group of 64 come, or not. x[i] is i; `n` and `limit` are given.
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform P { uint kind, n, limit; };
shared uint tile[64];

uint other(uint l)
{
    return tile[63u - l];
}

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, v = x[i], sum = 0u;
    tile[l] = v;
    if (kind == 0u) {
        if (v < limit) {
            barrier();
            sum = other(l);
        }
    } else if (kind == 1u) {
        if (v < limit) {
            sum = v;
        } else {
            barrier();
            sum = other(l);
        }
    } else if (kind == 2u) {
        switch (v % limit) {
        case 0u:
            barrier();
            sum = other(l);
            break;
        case 1u:
        case 2u:
            sum = v;
            break;
        case 5u:
            barrier();
            sum = other(l) + 1u;
            break;
        }
    } else if (kind == 3u) {
        for (uint k = 0u; k < 4u; k++) {
            if (v + k > limit)
                break;
            barrier();
            sum += other(l);
        }
    } else if (kind == 4u) {
        if (v + n >= 64u) { // the same for all where n is at least 64
            for (uint k = 0u; k < 2u; k++) {
                if (v < limit) {
                    barrier();
                    sum += other(l);
                }
            }
        }
    } else if (kind == 5u) {
        if (v >= n)
            return;
        if (v < limit) {
            barrier();
            sum = v;
        }
    } else if (kind == 6u) {
        if (v >= n)
            return;
        switch (v / limit) {
        case 0u:
            barrier();
            sum = v;
            break;
        default:
            sum = 7u;
            break;
        }
    } else if (kind == 7u) {
        for (uint k = 0u; k < 4u; k++) {
            if (l < 32u) {
                sum++;
                if (k + 1u == limit && v < n)
                    break;
            } else if (k + 1u == limit && v < n) {
                break;
            }
            barrier();
            sum += other(l);
        }
    }
    y[i] = sum;
}
