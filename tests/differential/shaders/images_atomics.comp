#version 450
// Every atomic operation on texels of one, two and three dimensions, and on layers.
//! image inout 0 r32ui 2d 8 4 1 1 index 7 3
//! image inout 1 r32i 3d 4 4 2 1 index -9 5
//! image inout 2 r32ui 2d-array 4 4 2 1 index 1 1
//! image inout 3 r32i 1d 32 1 1 1 index 0 0
//! image inout 4 r32ui 1d-array 8 1 4 1 index 5 7
//! image inout 5 r32ui 2d 8 4 1 1 index 255 0
//! image inout 7 r32i 1d 32 1 1 1 index 0 0
//! out 6 u32 128
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0, r32ui) uniform uimage2D a;
layout(binding = 1, r32i) uniform iimage3D b;
layout(binding = 2, r32ui) uniform uimage2DArray c;
layout(binding = 3, r32i) uniform iimage1D d;
layout(binding = 4, r32ui) uniform uimage1DArray e;
layout(binding = 5, r32ui) uniform uimage2D f;
layout(binding = 7, r32i) uniform iimage1D own;
layout(std430, binding = 6) buffer Out { uint out_of[128]; };
void main()
{
    int i = int(gl_GlobalInvocationID.x), k = i & 31;
    ivec3 deep = ivec3(k & 3, k >> 2 & 3, k >> 4);
    imageAtomicAdd(a, ivec2(k & 7, k >> 3), uint(i) * 5u);
    imageAtomicMin(b, deep, i * 37 % 41 - 20);
    imageAtomicMax(c, deep, uint(i * 37 % 41));
    imageAtomicXor(d, k, 1 << (i >> 5));
    imageAtomicOr(e, ivec2(k & 7, k >> 3), 256u << (i >> 5));
    imageAtomicAnd(f, ivec2(k & 7, k >> 3), ~(1u << (i >> 5)));
    /* Only one work-item of all groups has each of these texels. */
    uint mine = 0u;
    if (i < 32) {
        mine = imageAtomicExchange(own, k, -i) == 0 ? 1u : 2u;
        mine += imageAtomicCompSwap(own, k, -i, i * 3) == -i ? 4u : 8u;
        mine += imageAtomicCompSwap(own, k, -1000, 77) == i * 3 ? 16u : 32u;
        mine += uint(imageAtomicAdd(own, k, -i)) << 8;
    }
    out_of[i] = mine;
}
