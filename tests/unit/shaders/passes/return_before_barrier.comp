#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };
layout(push_constant) uniform P { uint n; } p;
shared int tile[64];
void main() {
    uint id = gl_GlobalInvocationID.x;
    if (id >= p.n) return;
    int v = x[id];
    tile[gl_LocalInvocationID.x] = v;
    barrier();
    x[id] = tile[63 - gl_LocalInvocationID.x] + v;
}
