#version 450
/* c = a b for n × n, n a multiple of 16, by tiles of 16 × 16 in shared memory, as textbooks have it. */
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Numbers { uint n; };
shared float ta[16][16], tb[16][16];

void main()
{
    uint lx = gl_LocalInvocationID.x, ly = gl_LocalInvocationID.y;
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    float s = 0;
    for (uint k = 0u; k < n; k += 16u) {
        ta[ly][lx] = a[y * n + k + lx];
        tb[ly][lx] = b[(k + ly) * n + x];
        barrier();
        for (uint j = 0u; j < 16u; j++)
            s = fma(ta[ly][j], tb[j][lx], s);
        barrier();
    }
    c[y * n + x] = s;
}
