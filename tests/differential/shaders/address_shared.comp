// Pointers in shared memory, which work-items exchange across barriers.
//! in 20 f32 128 range -3 3
//! out 1 f32 128
//! push u64 0
//! address push 0 0 1 20 0 0
//! groups 2 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Value { float v; };
layout(push_constant) uniform Push { uint64_t all; };
layout(std430, binding = 1) writeonly buffer Out { float values[]; };

struct Slot {
    Value at;
    uint owner;
};
shared Slot slots[64];
shared Value least;

void main()
{
    uint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 64u;
    slots[i].at = Value(all + (g + (i * 5u) % 64u) * 4u);
    slots[i].owner = i;
    if (i == 9u)
        least = Value(all + g * 4u);
    barrier();
    Slot other = slots[63u - i];
    float value = other.at.v + float(other.owner) + least.v;
    barrier();
    slots[(i + 1u) % 64u].at = other.at;
    barrier();
    values[g + i] = value - slots[i].at.v;
}
