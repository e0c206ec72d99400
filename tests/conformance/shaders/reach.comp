#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

/* Adds to the numbers at an address, and to those at the address that stands in a buffer, if it is not null. */
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint n[]; };
layout(std430, binding = 0) readonly buffer Table { uvec2 table[]; };
layout(push_constant) uniform Push { Numbers first; uint count; uint add; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    first.n[i] += add;
    if (table[0] != uvec2(0))
        Numbers(table[0]).n[i] += 2u * add;
}
