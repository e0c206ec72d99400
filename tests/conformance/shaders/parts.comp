#version 450
// Sums three buffers, each times its place, into one of two.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Part { uint x[]; } parts[3];
layout(std430, binding = 1) buffer To { uint y[]; } to[2];
layout(push_constant) uniform Push { uint n; uint which; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    uint sum = 0;
    for (uint k = 0; k < 3; k++) sum += parts[k].x[i] * (k + 1);
    to[which].y[i] = sum;
}
