#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
// The other formats of storage images.
//! image inout 0 r8 2d 16 8 1 1
//! image inout 1 rg8 2d 16 8 1 1
//! image inout 2 r16 2d 16 8 1 1
//! image inout 3 rgba16 2d 16 8 1 1
//! image inout 4 rg16_snorm 2d 16 8 1 1
//! image inout 5 rgb10_a2 2d 16 8 1 1
//! image inout 6 rg16f 2d 16 8 1 1 range -10 10
//! image inout 7 rg32f 2d 16 8 1 1 range -10 10
//! image inout 8 rgb10_a2ui 2d 16 8 1 1
//! image inout 9 rg8ui 2d 16 8 1 1
//! image inout 10 r16i 2d 16 8 1 1
//! image inout 11 rg32i 2d 16 8 1 1
//! image out 13 r11f_g11f_b10f 2d 16 8 1 1
//! out 12 f32 512 abs 1e-6
//! groups 2 2 1
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0, r8) uniform image2D a;
layout(binding = 1, rg8) uniform image2D b;
layout(binding = 2, r16) uniform image2D c;
layout(binding = 3, rgba16) uniform image2D d;
layout(binding = 4, rg16_snorm) uniform image2D e;
layout(binding = 5, rgb10_a2) uniform image2D f;
layout(binding = 6, rg16f) uniform image2D g;
layout(binding = 7, rg32f) uniform image2D h;
layout(binding = 8, rgb10_a2ui) uniform uimage2D i;
layout(binding = 9, rg8ui) uniform uimage2D j;
layout(binding = 10, r16i) uniform iimage2D k;
layout(binding = 11, rg32i) uniform iimage2D l;
layout(binding = 13, r11f_g11f_b10f) uniform image2D m;
layout(binding = 12) buffer Out { vec4 sums[]; };
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = imageLoad(a, at) + imageLoad(b, at) * 2.0 + imageLoad(c, at) + imageLoad(d, at) +
               imageLoad(e, at) + imageLoad(f, at) + imageLoad(g, at) + imageLoad(h, at);
    uvec4 n = imageLoad(i, at) + imageLoad(j, at);
    ivec4 z = imageLoad(k, at) + (imageLoad(l, at) & 0xffff);
    vec4 x = floor(imageLoad(d, at) * 255.0) / 255.0;
    sums[at.y * 16 + at.x] = sum + vec4(n) + vec4(z);
    imageStore(m, at, at.x < 8 ? x * 37.0 - 5.0 : at.y < 4 ? x * 70000.0 : x * 0.0002);
    sums[at.y * 16 + at.x] += imageLoad(m, at);
    imageStore(a, at, x);
    imageStore(b, at, x);
    imageStore(c, at, imageLoad(d, at).yxzw);
    imageStore(d, at, imageLoad(d, at).yzwx * 2.0);
    imageStore(e, at, imageLoad(e, at).yxzw * 2.0 - 1.0);
    imageStore(f, at, imageLoad(f, at).zxyw);
    imageStore(g, at, floor(x * 100.0));
    imageStore(h, at, floor(x * 100.0));
    imageStore(i, at, n.yxzw & uvec4(3));
    imageStore(j, at, n & uvec4(255));
    imageStore(k, at, z >> 3);
    imageStore(l, at, z);
}
