#version 450
// Loads behind questions: of neighbours that may be outside, and of what may not be read instead.
layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) buffer Both { float both[]; };
layout(set = 0, binding = 2) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Arguments { uint width; uint height; };
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x >= width || y >= height)
        return;
    uint at = y * width + x;
    float middle = source[at];
    float left = middle; // the nearest
    if (x > 0u)
        left = source[at - 1u];
    float right = 0.5; // something else
    if (x + 1u < width)
        right = source[at + 1u];
    float written = both[at]; // what others may write
    float before = written;
    if (x > 1u)
        before = both[at - 2u];
    target[at] = middle + 2.0 * left + 4.0 * right + 8.0 * before;
}
