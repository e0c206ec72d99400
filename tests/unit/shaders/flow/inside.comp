#version 450
// What an item does stands inside of the question for it.
layout(local_size_x = 16, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
layout(push_constant) uniform Arguments { uint width; uint height; };
void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x < width && y < height)
        target[y * width + x] = sqrt(source[y * width + x]);
}
