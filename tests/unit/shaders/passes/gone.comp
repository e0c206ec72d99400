#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { int x[]; };
layout(push_constant) uniform P { int mode; } p;
shared int tile[32];

int pick(int v)
{
    tile[gl_LocalInvocationID.x] = v;
    barrier();
    if (v > 5)
        return 0;
    if (p.mode == 1) {
        barrier();
        v += tile[0];
    }
    return v;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    x[i] = pick(x[i]) + 1;
}
