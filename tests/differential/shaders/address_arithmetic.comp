// Pointers as numbers: sums, differences and elements of GL_EXT_buffer_reference2, and conversions.
//! in 20 f32,u32,2f32 64 range 0 50
//! out 21 f32,u32,2f32 64
//! out 1 i32 64
//! push u64 0 0
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Item {
    float weight;
    uint number;
    vec2 place;
};
layout(push_constant) uniform Push { Item from; Item to; };
layout(std430, binding = 1) writeonly buffer Out { int distances[]; };

void main()
{
    int i = int(gl_LocalInvocationIndex);
    Item at = from + i;
    Item last = from + 63;
    Item mirrored = last - i;
    to[i].weight = at.weight - mirrored.weight;
    to[i].number = from[63 - i].number + at[-i].number;
    Item out_ = Item(uint64_t(to) + uint64_t(i) * 16ul);
    out_.place = at.place * 2.0 + last[-1].place;
    at += 2;
    at = at - 1;
    distances[i] = int((int64_t(uint64_t(at)) - int64_t(uint64_t(from))) / 16l) + int(uint64_t(mirrored) - uint64_t(from));
}
