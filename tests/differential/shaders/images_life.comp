#version 450
// The game of life on a torus of texels, several generations in one group, between two images.
//! image inout 0 r8ui 2d 16 16 1 1
//! image out 1 r8ui 2d 16 16 1 1
//! groups 1 1 1
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, r8ui) uniform coherent uimage2D even;
layout(binding = 1, r8ui) uniform coherent uimage2D odd;
uint alive(int generation, ivec2 at)
{
    at = at & 15;
    return (generation % 2 == 0 ? imageLoad(even, at).x : imageLoad(odd, at).x) & 1u;
}
void main()
{
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    for (int generation = 0; generation < 7; generation++) {
        uint around = 0u;
        for (int i = 0; i < 9; i++)
            if (i != 4)
                around += alive(generation, at + ivec2(i % 3, i / 3) - 1);
        uint next = around == 3u || (around == 2u && alive(generation, at) == 1u) ? 1u : 0u;
        memoryBarrierImage();
        barrier();
        if (generation % 2 == 0)
            imageStore(odd, at, uvec4(next));
        else
            imageStore(even, at, uvec4(next));
        memoryBarrierImage();
        barrier();
    }
}
