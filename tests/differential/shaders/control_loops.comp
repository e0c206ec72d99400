// Loops of each form, nested, with break, continue and early return in every place.
//! in 0 u32 256 range 0 40
//! out 1 u32 1280
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };

uint search(uint n)
{
    for (uint x = 2u; x < 50u; x++) {
        for (uint y = x; y < 50u; y++) {
            if (y * y > n * 3u)
                break;
            if ((x + y) % 5u == 0u)
                continue;
            if (x * y == n)
                return x * 100u + y;
        }
        if (x > n)
            return 7u;
    }
    return 9u;
}

uint collatz(uint n)
{
    uint steps = 0u;
    while (n > 1u) {
        n = (n & 1u) != 0u ? n * 3u + 1u : n / 2u;
        steps++;
        if (steps > 60u)
            break;
    }
    return steps;
}

uint late(uint n)
{
    uint sum = 0u;
    do {
        sum += n;
        if (sum > 100u)
            continue;
        sum *= 2u;
    } while (n-- > 3u && sum < 500u);
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 5u;
    uint x = a[i];
    c[o + 0u] = search(x);
    c[o + 1u] = collatz(x);
    c[o + 2u] = late(x);
    uint forever = 0u;
    for (;;) {
        forever += x | 1u;
        if (forever > 77u)
            break;
        if ((forever & 4u) != 0u) {
            forever += 3u;
            continue;
        }
        forever++;
    }
    c[o + 3u] = forever;
    uint p = x, q = 1u, r = 0u;
    for (uint k = 0u, step = 1u; k < 20u; k += step, step = step % 3u + 1u) {
        uint t = p;
        p = q + r;
        q = r ^ t;
        r = t + k;
        if (p > 5000u) {
            while (true) {
                p >>= 1;
                if (p < 100u)
                    break;
            }
        }
    }
    c[o + 4u] = p + q * 3u + r * 5u;
    if (x > 20u)
        return;
    if (x % 2u == 0u) {
        c[o + 4u] = 1u;
        return;
    }
    c[o + 3u] += 1u;
}
