#version 450
// Kinds of images on one binding: each is a parameter of its own, and those behind the first that is used get the next
// numbers.
#extension GL_EXT_samplerless_texture_functions : require
//! image in 0 rgba8 2d 9 5 1 1
//! sampler 7 nearest nearest repeat
//! image inout 8 rgba32f 2d 9 5 1 1 ulp 4 abs 1e-6
//! image out 9 r32ui 1d 45 1 1 1
//! image in 10 rgba16ui 3d 4 4 3 1
//! image in 2 r32f 2d 8 8 1 1
//! sampler 2 linear nearest clamp
//! in 11 f32 64 range 0.1 0.9
//! out 4 f32 64 abs 1e-2 filter 2
//! texels in 6 r32ui 64
//! groups 3 2 1
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) uniform texture2D a;
layout(binding = 0, rgba32f) uniform image2D b;
layout(binding = 0) uniform utexture3D c;
layout(binding = 0, r32ui) uniform writeonly uimage1D d;
layout(binding = 0) uniform sampler e;
layout(binding = 2) uniform sampler2D f;
layout(std430, binding = 4) writeonly buffer G { float g[]; };
layout(std430, binding = 6) readonly buffer H { float h[]; };
layout(binding = 6) uniform utextureBuffer k;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint i = gl_GlobalInvocationID.y * 12u + gl_GlobalInvocationID.x;
    vec4 texel = texelFetch(a, at, 0) + textureLod(sampler2D(a, e), (vec2(at) + vec2(4.5, 7.5)) / vec2(9, 5), 0.0);
    imageStore(b, at, imageLoad(b, at) + texel);
    if (at.x < 9 && at.y < 5)
        imageStore(d, at.y * 9 + at.x, texelFetch(c, ivec3(at, at.x) % ivec3(4, 4, 3), 0) + texelFetch(k, int(i)));
    if (i < 64u)
        g[i] = textureLod(f, vec2(h[i], h[63u - i]), 0.0).x;
}
