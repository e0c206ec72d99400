// Sines and cosines of one angle, which CUDA computes at once: alone and of vectors, around branches, in loops, and where a
// thread does several items. Vulkan promises 2^-11 between -pi and pi.
//! in 0 f32 256 range -3 3
//! in 1 f32 256 range -0.75 0.75
//! out 2 f32 256 rel 4e-3 abs 4e-3
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= 250)
        return;
    float x = a[i], y = b[i];
    float s = sin(x), o = cos(x);
    vec3 v = vec3(x, y, x * y), n = cos(v), m = sin(v);
    float sum = s * o + dot(n, m.zyx) + sin(x) * 0.25;
    if (y > 0.0)
        sum += cos(y) - sin(y) + cos(x);
    else
        sum -= sin(y);
    for (int k = 1; k < 4; k++) {
        float angle = y * float(k);
        sum += cos(angle) * sin(angle);
    }
    float unused = cos(y * 0.5), used = sin(y * 0.5);
    c[i] = (sum + used) * 0.25;
}
