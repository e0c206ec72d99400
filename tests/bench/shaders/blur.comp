#version 450
/* The mean of 3 × 3, away from the edges of a w × w image. */
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer S { float s[]; };
layout(set = 0, binding = 1) writeonly buffer D { float d[]; };
layout(push_constant) uniform Numbers { int w; };

void main()
{
    int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
    if (x < 1 || y < 1 || x >= w - 1 || y >= w - 1)
        return;
    int p = y * w + x;
    d[p] = (s[p - w - 1] + s[p - w] + s[p - w + 1] + s[p - 1] + s[p] + s[p + 1] + s[p + w - 1] + s[p + w] + s[p + w + 1])
           * (1.0 / 9.0);
}
