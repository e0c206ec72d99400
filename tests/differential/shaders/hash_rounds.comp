// Rounds like those of SHA-256: long straight code, rotations, a local array.
//! in 0 u32 1024
//! out 1 u32 512
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };

uint turn(uint x, int by)
{
    return (x >> by) | (x << (32 - by));
}

/* not those of the real one, which would be a page of numbers */
uint constant_of(uint k)
{
    return (k + 1u) * 0x9e3779b9u ^ (k << 11);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint w[64];
    for (uint k = 0u; k < 16u; k++)
        w[k] = a[i * 16u + k];
    for (uint k = 16u; k < 64u; k++) {
        uint s0 = turn(w[k - 15u], 7) ^ turn(w[k - 15u], 18) ^ (w[k - 15u] >> 3);
        uint s1 = turn(w[k - 2u], 17) ^ turn(w[k - 2u], 19) ^ (w[k - 2u] >> 10);
        w[k] = w[k - 16u] + s0 + w[k - 7u] + s1;
    }
    uint h[8] = uint[8](0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu,
                        0x5be0cd19u);
    for (uint k = 0u; k < 64u; k++) {
        uint s1 = turn(h[4], 6) ^ turn(h[4], 11) ^ turn(h[4], 25);
        uint choice = (h[4] & h[5]) ^ (~h[4] & h[6]);
        uint t1 = h[7] + s1 + choice + constant_of(k) + w[k];
        uint s0 = turn(h[0], 2) ^ turn(h[0], 13) ^ turn(h[0], 22);
        uint majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
        uint t2 = s0 + majority;
        for (int m = 7; m > 0; m--)
            h[m] = h[m - 1];
        h[4] += t1;
        h[0] = t1 + t2;
    }
    for (uint k = 0u; k < 8u; k++)
        c[i * 8u + k] = h[k];
}
