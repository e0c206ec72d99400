#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };
struct Pair { int a; int b; };
Pair counts[2] = Pair[](Pair(1, 2), Pair(3, 4));
shared int tile[64];

void main()
{
    uint l = gl_LocalInvocationID.x;
    int own[4];
    int other[4];
    other[l & 3] = x[l];
    own[l & 3] = other[(l + 1) & 3];
    tile[l] = own[0];
    barrier();
    counts[l & 1].b += own[l & 3];
    x[l] = tile[63 - l] + counts[0].b;
}
