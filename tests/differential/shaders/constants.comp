// Specialization constants: in expressions, array lengths, the local size and conditions.
//! constant 0 u32 16
//! constant 1 u32 2
//! constant 3 f32 2.5
//! constant 4 i32 -7
//! constant 5 u32 1
//! out 2 f32 256
//! inout 0 u32 256
//! groups 8 1 1
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint left_alone = 9u;
layout(constant_id = 3) const float factor = 1.0;
layout(constant_id = 4) const int offset = 3;
layout(constant_id = 5) const bool negate = false;
layout(constant_id = 6) const bool unset = true;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

const uint length = gl_WorkGroupSize.x * gl_WorkGroupSize.y + 1u;
const int mixed = (offset * 3 - 2) / 2 + (offset % 4) + (offset >> 1) + int(left_alone << 2) - (~offset & 12);
const bool both = negate && unset || offset > 5;
const uint chosen = both ? 11u : 22u;
const ivec3 vector = ivec3(offset, mixed, 5);
shared uint tile[length];

void main()
{
    uint local = gl_LocalInvocationIndex;
    uint i = gl_WorkGroupID.x * (length - 1u) + local;
    float list[left_alone];
    for (uint k = 0u; k < left_alone; k++)
        list[k] = float(k) * factor;
    tile[local] = a[i];
    if (local == 0u)
        tile[length - 1u] = 77u;
    barrier();
    a[i] = tile[local + 1u] + chosen + uint(vector.y - vector.x) + uint(-offset) + (negate ? 1000u : 0u);
    c[i] = list[i % left_alone] + factor * float(mixed) + float(gl_WorkGroupSize.x);
}
