// Items below one another that read neighbours, in images one after the other; the last rows and columns are
// partly empty.
//! in 0 f32 2380 range -10 10
//! inout 1 f32 2380 range -10 10
//! out 2 f32 2380 ulp 4 abs 1e-5
//! groups 5 3 2
//! push u32 70 u32 17
#version 450
layout(local_size_x = 16, local_size_y = 6) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform P { uint width, height; };

void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (y >= height || x >= width)
        return;
    uint first = gl_GlobalInvocationID.z * width * height, at = first + y * width + x;
    float middle = a[at], own = b[at];
    float above = middle, below = 3.0, left = own;
    if (y > 0u)
        above = a[at - width];
    if (y + 1u < height)
        below = a[at + width];
    if (x > 0u)
        left = a[at - 1u];
    b[at] = own + left;
    if ((x & 3u) == 1u)
        middle += b[at];
    c[at] = sqrt(abs(middle)) + above / (2.0 + abs(below));
}
