#version 450
/* Loops whose heads compare a number ahead of their counter, with bounds around zero and the ahead itself. */
layout(local_size_x = 32) in;
//! in 0 u32 256
//! out 1 u32 256
//! groups 8 1 1
//! push u32 3 u32 21
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Arguments { uint few; uint many; };

uint ahead(uint n, int m, uint v)
{
    uint i = 0u;
    int k = -5;
    for (; i + 4u <= n; i += 4u)
        v = v * 1664525u + i;
    for (; i < n; i++)
        v = v * 22695477u + i;
    for (uint j = 3u; n > j + 1u; j += 2u)
        v ^= (v << 5) + j;
    for (; k + 7 <= m; k += 8)
        v = v * 69069u + uint(k);
    for (; k <= m; k++)
        v += v >> 3;
    for (int j = -20; m >= j; j += 4)
        v = (v ^ uint(j)) * 31u;
    for (uint j = 1u; j <= n; j++) {
        if ((v & 3u) == 0u)
            v += 17u;
        v = v * 5u + j;
    }
    return v + i * 7u + uint(k);
}

void main()
{
    uint g = gl_GlobalInvocationID.x, v = x[g];
    uvec3 bounds = uvec3(few, many, g % 23u);
    ivec3 signs = ivec3(int(few) - 9, int(many), int(g % 23u) - 11);
    for (uint t = 0u; t < few; t++) // one copy of the loops, which drivers take long to compile
        v = ahead(bounds[t], signs[t], v);
    for (uint j = 0u; j + 2u < many; j += 2u) {
        v = v * 3u + j;
        if (v % 7u == 2u)
            break;
    }
    for (uint j = 0u; j + 3u < many; j += 3u)
        v = v * 13u + j;
    y[g] = v;
}
