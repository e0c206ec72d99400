#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
// Storage images of declared formats: converted when they are read and written; outside there is nothing.
//! image inout 0 rgba8 2d 20 9 1 1
//! image inout 1 rgba16f 2d 20 9 1 1 range -100 100 ulp 1
//! image inout 2 r32f 2d 20 9 1 1 range -2 2
//! image out 3 rgba8_snorm 2d 20 9 1 1
//! image out 4 rgba32f 2d 20 9 1 1 ulp 4
//! image inout 5 rgba16ui 2d 20 9 1 1
//! image inout 6 r32i 2d 20 9 1 1
//! image inout 7 rgba8i 2d 20 9 1 1
//! image in 8 rgba8_snorm 2d 20 9 1 1
//! groups 3 3 1
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0, rgba8) uniform image2D a;
layout(binding = 1, rgba16f) uniform image2D b;
layout(binding = 2, r32f) uniform image2D c;
layout(binding = 3, rgba8_snorm) uniform writeonly image2D d;
layout(binding = 4, rgba32f) uniform writeonly image2D e;
layout(binding = 5, rgba16ui) uniform uimage2D f;
layout(binding = 6, r32i) uniform iimage2D g;
layout(binding = 7, rgba8i) uniform iimage2D h;
layout(binding = 8, rgba8_snorm) uniform readonly image2D i;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) - ivec2(1);
    vec4 x = imageLoad(a, at), y = imageLoad(b, at), z = imageLoad(c, at), w = imageLoad(i, at);
    uvec4 n = imageLoad(f, at);
    ivec4 k = imageLoad(g, at), l = imageLoad(h, at);
    imageStore(a, at, x.yxwz * 2.0 - vec4(0.0, 1.0, 2.0, 0.0));
    imageStore(b, at, y * 1.5);
    imageStore(c, at, z + vec4(1.0));
    imageStore(d, at, w.wzyx);
    imageStore(e, at, x + y + z + w);
    if (at == ivec2(0))
        imageStore(e, at, imageLoad(a, -at - 1) + imageLoad(c, -at - 1));
    imageStore(f, at, n.yxwz + uvec4(1));
    imageStore(g, at, -k);
    imageStore(h, at, l.wxyz);
}
