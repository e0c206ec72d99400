// Pointers that loops carry: forwards and backwards through an array, until a value is found.
//! in 20 u32 256 range 0 63
//! out 1 u32,u32 64
//! push u64 0
//! address push 0 0 1 20 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Word { uint v; };
layout(push_constant) uniform Push { Word first; };
layout(std430, binding = 1) writeonly buffer Out { uvec2 results[]; };

void main()
{
    uint wanted = gl_LocalInvocationIndex, count = 0u, sum = 0u;
    Word at = first, end = first + 256;
    while (uint64_t(at) != uint64_t(end) && at.v != wanted) {
        at = at + 1;
        count++;
    }
    Word back = uint64_t(at) == uint64_t(end) ? at - 1 : at;
    for (;;) {
        sum += back.v;
        if (uint64_t(back) == uint64_t(first) || sum > 2000u)
            break;
        back = back - 1;
    }
    results[wanted] = uvec2(count, sum);
}
