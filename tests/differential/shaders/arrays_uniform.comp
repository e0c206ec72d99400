// An array of uniform blocks with vectors and matrices.
//! uniform 0 f32 24
//! uniform 0 f32 24
//! uniform 0 f32 24
//! in 1 f32 256
//! out 2 f32 256 abs 1e-4 rel 1e-4
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std140, binding = 0) uniform Set { mat4 m; vec4 v; float s[1]; } sets[3];
layout(std430, binding = 1) readonly buffer In { vec4 x[]; };
layout(std430, binding = 2) buffer Out { vec4 y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 value = x[i];
    for (int k = 0; k < 3; k++)
        value = sets[k].m * value * 0.25 + sets[(k + 1) % 3].v * sets[2 - k].s[0];
    y[i] = value;
}
