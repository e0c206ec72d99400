// Two arrays on one binding: the same buffers as floats and as vectors.
//! inout 0 f32 64
//! inout 0 f32 64
//! out 1 f32 64
//! groups 1 1 1
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Floats { float x[]; } floats[2];
layout(std430, binding = 0) buffer Vectors { vec4 x[]; } vectors[2];
layout(std430, binding = 1) buffer Out { vec4 y[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, k = i & 1u;
    vec4 four = vectors[0].x[i] + vectors[1].x[15u - i].wzyx;
    y[i] = four + floats[0].x[4u * i + 2u];
    floats[1].x[4u * (15u - i)] = four.y;
    vectors[0].x[i] = four * 2.0;
}
