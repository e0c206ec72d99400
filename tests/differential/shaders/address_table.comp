// A bound buffer of pointers: each work-item picks one, and writes through another.
//! in 0 8pad 8
//! in 20 f32 64 range -1 1
//! in 21 f32 64 range 10 20
//! out 22 f32 64
//! address 0 0 8 4 20 0 64
//! address 0 32 8 3 21 0 64
//! address 0 56 0 1 22 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(std430, binding = 0) readonly buffer Table { Floats table[]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    Floats from = table[i % 7u];
    Floats to = table[7];
    to.v[i] = from.v[i % 16u] + table[0].v[i];
}
