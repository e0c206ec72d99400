#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; } p;
shared float sums[256];
void main() {
    uint id = gl_LocalInvocationID.x;
    uint i = gl_GlobalInvocationID.x;
    sums[id] = i < p.n ? x[i] : 0.0;
    barrier();
    for (uint s = 128; s > 0; s >>= 1) {
        if (id < s)
            sums[id] += sums[id + s];
        barrier();
    }
    if (id == 0)
        y[gl_WorkGroupID.x] = sums[0];
}
