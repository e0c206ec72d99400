#version 450
// Rows of an image that are chosen by what is the same for a whole row of items.
layout(local_size_x = 16, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Arguments { uint width; uint height; };
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x >= width || y >= height)
        return;
    uint bottom = height - 1u, top = y - 1u; // with names, so that the choice is an OpSelect
    uint around = y == 0u ? bottom : top;
    uint above = uint(max(int(y) - 1, 0)), below = min(y + 1u, height - 1u);
    uint within = uint(clamp(int(y) * 2 - 9, 0, int(height) - 1));
    uint apart = clamp(y, 3u, 5u) + uint(min(int(y) - 4, 0) + 4) + max(y, 2u);
    target[y * width + x] = source[around * width + x] + 2.0 * source[above * width + x] +
                            4.0 * source[below * width + x] + 8.0 * source[within * width + x] +
                            16.0 * source[apart * width + x];
}
