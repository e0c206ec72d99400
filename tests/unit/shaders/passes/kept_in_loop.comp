#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { int x[]; };
layout(push_constant) uniform P { int n; } p;
shared int tile[32];
void main() {
    uint l = gl_LocalInvocationID.x;
    int sum = x[gl_GlobalInvocationID.x];
    tile[l] = sum;
    barrier();
    for (int i = 0; i < sum; i++)
        sum += tile[i & 31];
    barrier();
    tile[l] = sum * 2;
    barrier();
    x[gl_GlobalInvocationID.x] = sum + tile[31 - l];
}
