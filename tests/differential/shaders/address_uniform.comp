// Pointers in a uniform block, alone, in an array and in a struct.
//! uniform 0 8pad,f32,4pad,8pad,8pad,8pad,8pad,8pad,u32,4pad 1 index 2 3
//! in 20 f32 96 range -4 4
//! out 21 f32 64 ulp 4 abs 1e-5
//! address 0 0 0 1 21 0 0
//! address 0 16 16 2 20 0 128
//! address 0 48 0 1 20 256 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
struct Source {
    Floats from;
    uint step;
};
layout(std140, binding = 0) uniform Block {
    Floats to;
    float scale;
    Floats parts[2];
    Source source;
};

void main()
{
    uint i = gl_LocalInvocationIndex;
    to.v[i] = parts[i & 1u].v[i >> 1] * scale + source.from.v[(i * source.step) % 32u];
}
