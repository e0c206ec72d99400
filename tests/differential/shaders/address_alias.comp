// One memory as floats and as bits, through two kinds of pointers and through a binding.
//! inout 0 u32 64 range 0 100000
//! out 1 u32 64
//! push u64 0 0
//! address push 0 0 1 0 0 0
//! address push 8 0 1 0 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Bits { uint v[]; };
layout(push_constant) uniform Push { Floats floats; Bits bits; };
layout(std430, binding = 0) buffer Words { uint words[]; };
layout(std430, binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    uint before = words[i];
    floats.v[i] = float(before) * 0.5;
    uint seen = bits.v[i];
    bits.v[i] = seen ^ 0x80000000u;
    float negative = floats.v[i];
    words[i] = floatBitsToUint(negative) + 1u;
    results[i] = seen ^ bits.v[i] ^ uint(negative < 0.0);
}
