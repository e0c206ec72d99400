#version 450
// The mean of each pixel's row of three in three rows; the border is left as it was. Unsigned indices that
// pass zero.
layout(local_size_x = 16, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) buffer Target { float target[]; };
layout(push_constant) uniform Arguments { uint width; uint height; };
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, p = y * width + x;
    if (x < 1u || y < 1u || x >= width - 1u || y >= height - 1u)
        return;
    float sum = source[p - width - 1u] + source[p - width] + source[p - width + 1u];
    sum += source[p - 1u] + source[p] + source[p + 1u];
    sum += source[p + width - 1u] + source[p + width] + source[p + width + 1u];
    target[p] = sum;
}
