// Numbers of all scales; precise results are the same to the bit.
//! in 0 f32 512 log -100 100
//! in 1 f32 512 log -100 100
//! out 2 f32 3072
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 6u;
    precise float x = a[i], y = b[i];
    c[o + 0u] = min(x, y);
    c[o + 1u] = max(x, y);
    c[o + 2u] = clamp(x, min(0.0, y), max(0.0, y));
    precise float sum = x * 0.5 + y;
    precise float product = (x - y) * 0.25;
    c[o + 3u] = sum;
    c[o + 4u] = product;
    c[o + 5u] = sign(x) * abs(y);
}
