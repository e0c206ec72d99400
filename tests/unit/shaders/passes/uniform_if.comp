#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { int x[]; };
layout(push_constant) uniform P { int mode, n; } p;
shared int tile[32];

void main()
{
    uint l = gl_LocalInvocationID.x;
    int v = x[gl_GlobalInvocationID.x];
    if (p.mode == 1) {
        tile[l] = v;
        barrier();
        v = tile[31 - l];
    }
    for (int i = 0; i < p.n; i++) {
        barrier();
        tile[l] = v;
        barrier();
        if (tile[i] == 3)
            break;
        v += tile[l ^ 1];
    }
    x[gl_GlobalInvocationID.x] = v;
}
