#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    do {
        if (x[i] == 0)
            break;
        x[i] = 1;
        if (x[i + 1] == 0)
            break;
        x[i + 1] = 2;
    } while (false);
    int n = 0;
    do {
        n += x[i + n];
    } while (n < 10);
    x[i + 2] = n;
}
