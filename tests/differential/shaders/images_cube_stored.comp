#version 450
// Faces as layers of storage images: reads, writes, atomics and sizes of cubes and arrays of them.
//! image inout 0 rgba8 cube 8 8 6 1
//! image inout 1 r32f cube-array 8 8 12 1 range -1 1
//! image inout 2 r32ui cube 8 8 6 1
//! out 3 u32 1152
//! groups 1 1 12
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform imageCube colors;
layout(binding = 1, r32f) uniform imageCubeArray heights;
layout(binding = 2, r32ui) uniform uimageCube counts;
layout(std430, binding = 3) buffer Sizes { uint sizes[]; };
void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    ivec3 face = ivec3(at.xy, at.z % 6);
    uint i = (at.z * 8 + at.y) * 8 + at.x;
    imageStore(heights, at, vec4(imageLoad(heights, at).x * 2.0 + imageLoad(colors, ivec3(at.xy, 7)).x));
    imageAtomicAdd(counts, face, i);
    imageAtomicMax(counts, ivec3(at.xy, 6), 7u);
    if (at.z < 6)
        imageStore(colors, face, imageLoad(colors, face).wzyx);
    sizes[i] = uint(imageSize(colors).y * 10000 + imageSize(heights).x * 100 + imageSize(heights).z);
    if (i < 384u)
        sizes[768u + i] = uint(imageSize(counts).x);
}
