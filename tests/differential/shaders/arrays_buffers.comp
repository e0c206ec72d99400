// An array of buffers of different lengths, indexed by a push constant and by a loop.
//! inout 0 f32 256
//! inout 0 f32 200
//! inout 0 f32 77
//! inout 0 f32 300
//! out 1 f32 256
//! push u32 2
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Part { float x[]; } parts[4];
layout(std430, binding = 1) buffer Out { float y[]; };
layout(push_constant) uniform Push { uint which; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    float sum = 0;
    for (uint k = 0; k < 4; k++)
        if (i < uint(parts[k].x.length()))
            sum += parts[k].x[i];
    y[i] = sum;
    if (i < uint(parts[which].x.length()))
        parts[which].x[i] = sum * 2.0;
    parts[0].x[i] = -sum;
}
