// arrays_runtime without lengths.
//! in 0 f32 256
//! in 0 f32 256
//! in 0 f32 256
//! in 0 f32 256
//! in 0 f32 256
//! out 1 f32 256 rel 1e-5
//! push u32 5
//! groups 4 1 1
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { float x[]; } from[];
layout(std430, binding = 1) buffer Out { float y[]; };
layout(push_constant) uniform Push { uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float sum = 0;
    for (uint k = 0; k < count; k++)
        sum += from[k].x[i] * float(k + 1u);
    y[i] = sum + from[nonuniformEXT(i % count)].x[255u - i];
}
