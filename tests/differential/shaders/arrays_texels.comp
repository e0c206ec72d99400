// Arrays of texel buffers, read and written; atomics have an element that no work-item reads.
//! texels in 0 r32f 64
//! texels in 0 r32f 80
//! texels inout 1 r32ui 64
//! texels inout 1 r32ui 64
//! texels inout 1 r32ui 64
//! texels inout 1 r32ui 64
//! out 2 f32 64
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerBuffer given[2];
layout(binding = 1, r32ui) uniform uimageBuffer kept[4];
layout(std430, binding = 2) buffer Out { float y[]; };

void main()
{
    int i = int(gl_GlobalInvocationID.x);
    y[i] = texelFetch(given[0], i).x * 2.0 + texelFetch(given[1], i + 16).x + float(textureSize(given[1]));
    uint carry = 0u;
    for (int k = 0; k < 3; k++)
        carry += imageLoad(kept[k], i).x;
    imageStore(kept[2], i, uvec4(carry));
    imageAtomicAdd(kept[3], 5, 3u);
}
