// Items of groups with rows of which some leave when they have already written.
//! in 0 2i32 1110 range -99 99
//! inout 1 u32 1110
//! groups 5 4 1
//! push u32 37 u32 30
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { ivec2 a[]; };
layout(std430, binding = 1) buffer C { uint c[]; };
layout(push_constant) uniform P { uint width, height; };

void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (y < height) {
        if (x >= width)
            return;
        c[y * width + x] = y;
        if (a[y * width + x].x < 0)
            return;
        c[y * width + x] += x;
    }
}
