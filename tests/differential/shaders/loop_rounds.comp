#version 450
/* Innermost loops whose number of rounds only the launch knows, none to many, with steps and bounds of all kinds. */
layout(local_size_x = 32) in;
//! in 0 u32 256
//! in 1 f32 256 range -2 2
//! out 2 u32 256
//! out 3 f32 1024 ulp 0
//! inout 4 u32 1024
//! groups 8 1 1
//! push u32 37 i32 -3 u32 4 f32 0.75
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) readonly buffer F { float f[]; };
layout(binding = 2) writeonly buffer Y { uint y[]; };
layout(binding = 3) writeonly buffer G { float g[]; };
layout(binding = 4) buffer Z { uint z[]; };
layout(push_constant) uniform Arguments { uint many; int low; uint few; float a; };

/* Two phis that change places, a selection in the body, and the counter behind the loop. */
uint exchange(uint n, uint v)
{
    uint p = v, q = 1u, j = 0u;
    for (; j < n; j++) {
        uint sum = p + q * 3u;
        if ((sum & 4u) != 0u)
            sum ^= p >> 2;
        else if ((sum & 8u) != 0u)
            sum += 77u;
        q = p;
        p = sum;
    }
    return p ^ (q << 1) ^ j;
}

/* Loads and stores; each round reads what the one before has written. */
uint memory(uint base, uint n)
{
    uint v = 5u;
    for (uint j = 1u; j < n; j += 1u) {
        z[base + j % 4u] = z[base + (j + 3u) % 4u] * 5u + v;
        v += z[base + j % 4u] + x[(base + j) % 256u];
    }
    return v;
}

uint signs(int low, int high, uint v)
{
    for (int j = low; j <= high; j++)
        v = v * 31u + uint(j);
    for (int j = low + 3; high > j; j += 3)
        v = (v << 3) ^ uint(j) ^ (v >> 5);
    for (int j = low; j + 2 < high; j += 2)
        v += uint(j) * (v | 1u);
    return v;
}

float product(uint n, float v)
{
    precise float sum = v;
    for (uint j = 0u; j < n; j++)
        sum = sum * a + 0.5;
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, v = x[i];
    uvec4 counts = uvec4(many, few, i % 19u, 0u);
    ivec4 first = ivec4(low, low - int(i % 5u), 2147483600, -2147483648);
    ivec4 last = ivec4(int(many), int(i % 21u), 2147483640 - int(i % 3u), -2147483648 + int(i % 40u));
    for (uint k = 0u; k < few; k++) { // one copy of the loops, which drivers take long to compile
        v = exchange(counts[k], v);
        v += memory(i * 4u, counts[k]);
        v = signs(first[k], last[k], v);
        g[i * 4u + k] = product(counts[k], f[i]);
        for (uint j = k; j < many; j += 5u)
            v = v * 3u + j;
        for (uint j = 4294967290u; j < 4294967290u + k; j++)
            v ^= j * 9u;
        for (uint j = 0u; j <= many - few; j += 2u)
            v += v / 3u + j;
    }
    y[i] = v;
}
