#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { int x[]; };
shared int tile[32];

void main()
{
    uint i = gl_GlobalInvocationID.x;
    int rounds = x[i];
    for (;;) {
        tile[gl_LocalInvocationID.x] = rounds;
        barrier();
        if (rounds < 3)
            break;
        rounds -= tile[0];
        barrier();
    }
    x[i] = rounds;
}
