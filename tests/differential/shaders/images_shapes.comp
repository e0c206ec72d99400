#version 450
// Images of all dimensions, with layers, and their sizes.
//! image inout 0 r32f 1d 40 1 1 1 range 0 4
//! image inout 1 r32ui 1d-array 8 1 5 1
//! image inout 2 rgba8 2d-array 8 5 3 1
//! image inout 3 rgba32f 3d 8 5 4 1 range -1 2 ulp 1
//! out 4 i32 12
//! out 5 f32 640 ulp 4
//! image in 6 rgba8 2d-array 8 5 3 1
//! image in 7 r32f 3d 8 5 4 2 range 0 1
//! groups 1 5 4
layout(local_size_x = 8) in;
layout(binding = 0, r32f) uniform image1D a;
layout(binding = 1, r32ui) uniform uimage1DArray b;
layout(binding = 2, rgba8) uniform image2DArray c;
layout(binding = 3, rgba32f) uniform image3D d;
layout(std430, binding = 4) buffer Sizes { int sizes[12]; };
layout(std430, binding = 5) buffer Out { vec4 fetched[]; };
layout(binding = 6) uniform sampler2DArray e;
layout(binding = 7) uniform sampler3D f;
//! sampler 6 nearest nearest clamp
//! sampler 7 nearest nearest clamp
void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    int i = (at.z * 5 + at.y) * 8 + at.x;
    fetched[i] = texelFetch(e, at, 0) + texelFetch(f, at, 0) + texelFetch(f, at, 1) +
                 texelFetchOffset(f, at, 0, ivec3(1, 0, -1));
    vec4 x = imageLoad(c, at), y = imageLoad(d, at);
    /* No value is half-way between two bytes, which devices round either way. */
    imageStore(c, at, floor(y * 255.0 + 0.5) / 255.0);
    imageStore(d, at, x);
    if (at.z == 0) {
        imageStore(b, at.xy, imageLoad(b, at.xy) + uvec4(at.x));
        imageStore(a, i, imageLoad(a, i) * 2.0);
    }
    if (i == 0) {
        sizes[0] = imageSize(a);
        sizes[1] = imageSize(b).y;
        sizes[2] = imageSize(c).x + imageSize(c).y * 100 + imageSize(c).z * 10000;
        sizes[3] = imageSize(d).x + imageSize(d).y * 100 + imageSize(d).z * 10000;
        sizes[4] = textureSize(e, 0).z;
        sizes[5] = textureSize(f, 1).x + textureSize(f, 1).y * 100 + textureSize(f, 1).z * 10000;
        sizes[6] = textureQueryLevels(f);
        for (int k = 7; k < 12; k++)
            sizes[k] = k;
    }
}
