#version 450
// A histogram of an image in another image, first in shared memory; then each texel's share of its bin.
//! image in 0 rgba8 2d 40 24 1 1
//! image inout 1 r32ui 1d-array 16 1 4 1 index 0 0
//! image inout 2 r32i 3d 4 4 4 1 index 0 0
//! groups 5 3 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform readonly image2D source;
layout(binding = 1, r32ui) uniform uimage1DArray bins;
layout(binding = 2, r32i) uniform iimage3D cube;
shared uint counts[4][16];
void main()
{
    uint i = gl_LocalInvocationIndex;
    counts[i / 16u][i % 16u] = 0u;
    barrier();
    vec4 color = imageLoad(source, ivec2(gl_GlobalInvocationID.xy));
    for (int channel = 0; channel < 4; channel++)
        atomicAdd(counts[channel][min(int(color[channel] * 16.0), 15)], 1u);
    imageAtomicAdd(cube, min(ivec3(color.rgb * 4.0), ivec3(3)), 1);
    barrier();
    uint found = counts[i / 16u][i % 16u];
    if (found != 0u)
        imageAtomicAdd(bins, ivec2(i % 16u, i / 16u), found);
}
