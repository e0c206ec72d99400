#version 450
// Work-items of a group exchange texels across a barrier.
//! image inout 0 r32ui 2d 64 4 1 1
//! image out 1 rgba32f 2d 64 4 1 1
//! image inout 2 r32i 1d 64 1 1 1 index 0 0
//! groups 1 4 1
layout(local_size_x = 64) in;
layout(binding = 0, r32ui) uniform coherent uimage2D a;
layout(binding = 1, rgba32f) uniform volatile image2D b;
layout(binding = 2, r32i) uniform coherent iimage1D c;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), other = ivec2(63 - at.x, at.y);
    uint mine = imageLoad(a, at).x;
    for (int i = 0; i < 3; i++) {
        imageStore(b, at, vec4(mine & 1023u, i, at));
        memoryBarrierImage();
        barrier();
        vec4 theirs = imageLoad(b, other);
        mine = mine * 3u + uint(theirs.x) + uint(theirs.z);
        memoryBarrierImage();
        barrier();
    }
    imageStore(a, at, uvec4(mine));
    imageAtomicAdd(c, at.x, int(mine & 255u));
}
