// Buffers that only push constants reach, as arrays of floats, beside plain push constants.
//! in 20 f32 256 range -8 8
//! inout 21 f32 256 range -8 8 ulp 4 abs 1e-5
//! out 22 f32 256
//! push u64 0 0 0 f32 1.5 u32 250
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! address push 16 0 1 22 0 0
//! groups 4 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer In { float x[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer InOut { float y[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Out { float z[]; };
layout(push_constant) uniform Push { In a; InOut b; Out c; float scale; uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float old = b.y[i];
    b.y[i] += a.x[i] * scale;
    c.z[i] = old - a.x[255u - i];
}
