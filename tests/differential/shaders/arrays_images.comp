// An array of storage images of one format, and their sizes.
//! image inout 0 rgba8 2d 16 16 1 1
//! image inout 0 rgba8 2d 16 20 1 1
//! image inout 0 rgba8 2d 24 16 1 1
//! image in 1 r32i 2d 16 16 1 1
//! image in 1 r32i 2d 16 16 1 1
//! out 2 i32 512
//! groups 2 2 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform image2D images[3];
layout(binding = 1, r32i) readonly uniform iimage2D numbers[2];
layout(std430, binding = 2) buffer Out { ivec2 y[]; };

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 size = ivec2(0);
    for (int k = 0; k < 3; k++) {
        vec4 old = imageLoad(images[k], at);
        imageStore(images[k], at, old.wzyx);
        size += imageSize(images[k]) * (k + 1);
    }
    y[at.y * 16 + at.x] = size + imageLoad(numbers[at.y & 1], at).xx;
}
