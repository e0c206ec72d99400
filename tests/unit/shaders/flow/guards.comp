#version 450
// Guards of all kinds, one for each value of `kind`, which is fixed when the shader is specialized.
layout(local_size_x = 8, local_size_y = 2) in;
layout(constant_id = 0) const uint kind = 0u;
layout(set = 0, binding = 0) buffer Hits { uint hits[]; };
layout(push_constant) uniform Arguments { uint width; uint height; int low; int high; };
void hit(uint x, uint y)
{
    hits[y * 64u + x] += x + 1u;
}
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    int sx = int(x), sy = int(y);
    if (kind == 0u) {
        if (x < width && y < height)
            hit(x, y);
    } else if (kind == 1u) {
        if (!(x < width) || y >= height)
            return;
        hit(x, y);
    } else if (kind == 2u) {
        if (sx < low || sx > high || sy <= low)
            return;
        hit(x, y);
    } else if (kind == 3u) {
        if (high >= sx && low < sx && (x & 1u) == 0u)
            hit(x, y);
    } else if (kind == 4u) {
        if (x == width)
            hit(x, y);
    } else if (kind == 5u) {
        if (x != width)
            hit(x, y);
    } else if (kind == 6u) {
        if (x >= width)
            return;
        if (y > height)
            return;
        hit(x, y);
    } else if (kind == 7u) {
        if (x < width || y < height)
            hit(x, y);
    } else if (kind == 8u) {
        if (width <= x)
            return;
        hit(63u - x, y);
    } else {
        uint i = x * 3u + 2u;
        if (i < 64u && y < height)
            hit(i, y);
    }
}
