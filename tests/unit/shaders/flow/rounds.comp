#version 450
// Loops between loads and stores; one for each value of `kind`. Up to 3 all items do the same rounds, and no
// loop uses a buffer; in 10 they do, but then an item may leave.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kind = 0u;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform Arguments { uint n; uint rounds; uint step; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    uint v = x[i] + y[i];
    if (kind == 0u) {
        for (uint r = 0u; r < rounds; r++)
            v = v * 5u + r;
    } else if (kind == 1u) {
        for (uint r = 0u; r < rounds; r++)
            for (uint k = r; k < 7u; k += step) {
                if ((v & 1u) != 0u)
                    v += i;
                v = v * 3u + k;
            }
    } else if (kind == 2u) {
        uint most = rounds > 9u ? step : rounds;
        for (uint r = 0u;; r += 2u) {
            v ^= v >> 3;
            if (r > most)
                break;
            v *= 9u;
        }
    } else if (kind == 3u) {
        uint r = rounds;
        do {
            v = v * 5u + r;
            r = r / 2u;
        } while (r != 0u);
    } else if (kind == 4u) {
        for (uint r = 0u; r < (v & 7u); r++)
            v = v * 5u + r;
    } else if (kind == 5u) {
        for (uint r = 0u; r < rounds; r++) {
            v = v * 5u + r;
            if ((v & 8u) != 0u)
                break;
        }
    } else if (kind == 6u) {
        uint most = rounds;
        if ((v & 1u) != 0u)
            most = step;
        for (uint r = 0u; r < most; r++)
            v = v * 5u + r;
    } else if (kind == 7u) {
        for (uint r = 0u; r < rounds; r++)
            v = v * 5u + x[r];
    } else if (kind == 8u) {
        for (uint r = 0u; r < rounds; r++)
            y[r] = v++;
    } else if (kind == 9u) {
        for (uint r = i; r < rounds; r += step)
            v = v * 5u + r;
    } else if (kind == 10u) {
        for (uint r = 0u; r < rounds; r++)
            v = v * 5u + r;
        if (v == 7u)
            return;
    } else if (kind == 11u) {
        uint first = 0u, second = step, third = step;
        for (uint r = 0u; r < rounds; r++) {
            for (uint k = 0u; k < third; k++)
                v = v * 5u + r;
            third = second;
            second = first;
            first = v & 7u;
        }
    } else {
        uint list[4] = uint[4](v, i, rounds, step);
        for (uint r = 0u; r < rounds; r++)
            list[r & 3u] += list[v & 3u];
        v = list[0] + list[3];
    }
    y[i] = v;
}
