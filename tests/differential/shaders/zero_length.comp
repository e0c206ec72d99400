#version 450
/* An array that has no elements and a group that has no items, unless the program gives constants. */
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint WIDTH = 2;
layout(constant_id = 1) const uint GROUP = 0;
//! inout 0 f32 64 range -4 4 ulp 4
//! groups 2 1 1
//! constant 0 u32 16
//! constant 1 u32 32
layout(binding = 0) buffer X { float x[]; };
void main()
{
    uint at = gl_GlobalInvocationID.x;
    float part[WIDTH / 4];
    for (uint i = 0; i < WIDTH / 4; i++)
        part[i] = x[at] * float(i + 1);
    float s = 0;
    for (uint i = 0; i < WIDTH / 4; i++)
        s += part[(i * 3) % (WIDTH / 4)];
    x[at] = s;
}
