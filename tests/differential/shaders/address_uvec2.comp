// Pointers as pairs of 32-bit numbers, in push constants, buffers and local variables, without 64-bit integers.
//! in 20 f32 64 range -4 4
//! in 2 8pad 2
//! out 1 f32 64
//! push u32 0 0 16 5
//! address push 0 0 1 20 0 0
//! address 2 0 8 2 20 64 64
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Floats { float v[16]; };
layout(push_constant) uniform Push { uvec2 place; uvec2 more; };
layout(std430, binding = 2) readonly buffer Places { uvec2 places[]; };
layout(std430, binding = 1) writeonly buffer Out { float values[]; };

uvec2 advance(uvec2 from, uint bytes)
{
    uint carry;
    uint low = uaddCarry(from.x, bytes, carry);
    return uvec2(low, from.y + carry);
}

void main()
{
    uint i = gl_LocalInvocationIndex;
    Floats one = Floats(advance(place, (i & 3u) * more.x));
    Floats other = Floats(places[i & 1u]);
    uvec2 back = uvec2(one);
    float sum = one.v[i % 12u] + other.v[i % more.y];
    values[i] = back == advance(place, (i & 3u) * 16u) ? sum : -1.0;
}
