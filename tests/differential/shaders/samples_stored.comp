#version 450
// Storage images of several samples: read, written, and atomics on one sample.
//! image inout 0 rgba16f 2d-array 8 8 4 1 range -4 4 ulp 1
//! image out 1 r32ui 2d-array 8 8 2 1
//! image inout 2 rgba8 2d-array 8 8 4 1
//! image inout 3 r32i 2d-array 2 2 4 1 range -9 9
//! out 4 i32 64
//! groups 2 2 1
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0, rgba16f) uniform image2DMS a;
layout(binding = 1, r32ui) uniform writeonly uimage2DMS b;
layout(binding = 2, rgba8) uniform image2DMS c;
layout(binding = 3, r32i) uniform iimage2DMS d;
layout(std430, binding = 4) writeonly buffer E { int e[]; };
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++)
        sum += imageLoad(a, at, i);
    imageStore(a, at, 3, sum * 0.25);
    imageStore(a, at, 4, sum);                 // outside
    imageStore(b, at, at.x & 1, uvec4(at.x * 8 + at.y));
    imageStore(b, at, 1 - (at.x & 1), uvec4(imageSamples(a) * 100 + imageSize(c).x));
    imageStore(c, at, 2, imageLoad(c, at.yx, 1).yzwx);
    imageAtomicAdd(d, at & 1, 2, at.x + 1);
    imageAtomicMax(d, at & 1, 3, at.x * 5 - at.y);
    e[at.y * 8 + at.x] = imageLoad(d, at & 1, 0).x + imageLoad(d, at & 1, 1).x;
}
