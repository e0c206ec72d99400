// An array whose length is a specialization constant, and an array of uniform blocks as long.
//! constant 3 u32 5
//! inout 0 u32 64
//! inout 0 u32 64
//! inout 0 u32 64
//! inout 0 u32 64
//! inout 0 u32 64
//! uniform 1 u32 4
//! uniform 1 u32 4
//! uniform 1 u32 4
//! uniform 1 u32 4
//! uniform 1 u32 4
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint COUNT = 2;
layout(std430, binding = 0) buffer Part { uint x[]; } parts[COUNT];
layout(std140, binding = 1) uniform Add { uvec4 a; } adds[COUNT];

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint carry = i;
    for (uint k = 0; k < COUNT; k++) {
        uint next = parts[k].x[i];
        parts[k].x[i] = next + carry * 3u + adds[COUNT - 1 - k].a[k % 4];
        carry = next;
    }
}
