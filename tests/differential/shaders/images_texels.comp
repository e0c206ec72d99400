#version 450
// Texel buffers, read and written, and atomics on texels.
//! texels inout 0 r32f 200 range -4 4
//! texels in 1 rgba8 200
//! texels inout 2 rgba16i 200
//! texels in 3 rg16f 200 range -4 4
//! image inout 4 r32ui 2d 8 4 1 1 index 0 0
//! image inout 5 r32i 2d 8 4 1 1 index -5 1
//! texels inout 6 r32ui 16 index 0 0
//! out 7 f32 1024 ulp 1
//! out 8 i32 4
//! groups 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0, r32f) uniform imageBuffer a;
layout(binding = 1) uniform samplerBuffer b;
layout(binding = 2, rgba16i) uniform iimageBuffer c;
layout(binding = 3) uniform samplerBuffer d;
layout(binding = 4, r32ui) uniform uimage2D e;
layout(binding = 5, r32i) uniform iimage2D f;
layout(binding = 6, r32ui) uniform uimageBuffer g;
layout(std430, binding = 7) buffer Out { vec4 made[]; };
layout(std430, binding = 8) buffer Sizes { int sizes[4]; };
void main()
{
    int i = int(gl_GlobalInvocationID.x);
    made[i] = texelFetch(b, i) + texelFetch(d, i) + imageLoad(a, i) + vec4(imageLoad(c, i));
    imageStore(a, i, imageLoad(a, i) * 2.0);
    imageStore(c, i, imageLoad(c, i).wzyx);
    imageAtomicAdd(e, ivec2(i & 7, i >> 3 & 3), uint(i));
    imageAtomicMax(f, ivec2(i & 7, i >> 3 & 3), i - 100);
    imageAtomicOr(g, i & 15, 1u << (i >> 4));
    imageAtomicAdd(e, ivec2(-1, i), 5u);
    if (i < 4)
        sizes[i] = i == 0 ? imageSize(a) : i == 1 ? textureSize(b) : i == 2 ? imageSize(c) : imageSize(g);
}
