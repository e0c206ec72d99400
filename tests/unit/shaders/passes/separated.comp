#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { int x[]; };
shared int tile[32];

void main()
{
    uint l = gl_LocalInvocationID.x;
    int v = 0;
    switch (x[l]) {
    case 0:
        v = 7;
        break;
    case 1:
        tile[l] = 8;
        barrier();
        v = tile[0];
    case 2:
        v += 9;
        break;
    }
    x[l] = v;
}
