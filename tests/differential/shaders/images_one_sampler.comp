#version 450
// Images that are bound apart from the only sampler: all kinds of channels, in rows of 32 bytes and of others, and in 1D.
//! image in 0 rgba8_snorm 2d 16 8 1 1
//! image in 1 rg16 2d 24 5 1 1
//! image in 2 r16f 2d 16 9 1 1 range -1 1
//! image in 3 rg8 2d 13 6 1 1
//! image in 4 r32f 1d 21 1 1 1 range -1 1
//! image in 5 rg32f 2d 8 8 1 1 range -1 1
//! image in 6 r8_snorm 2d 32 4 1 1
//! image in 7 rgba16 1d 12 1 1 1
//! sampler 8 linear nearest border white
//! in 9 f32 512 range -0.7 1.6
//! out 10 f32 512 abs 2e-2 filter 12
//! out 11 f32 512 abs 2e-2 filter 12
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture2D a;
layout(binding = 1) uniform texture2D b;
layout(binding = 2) uniform texture2D c;
layout(binding = 3) uniform texture2D d;
layout(binding = 4) uniform texture1D e;
layout(binding = 5) uniform texture2D f;
layout(binding = 6) uniform texture2D g;
layout(binding = 7) uniform texture1D h;
layout(binding = 8) uniform sampler only;
layout(std430, binding = 9) readonly buffer In { vec4 given[]; };
layout(std430, binding = 10) buffer One { vec4 one[]; };
layout(std430, binding = 11) buffer Two { vec4 two[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    one[i] = textureLod(sampler2D(a, only), at.xy, 0.0) + textureLod(sampler2D(b, only), at.yz, 0.0) +
             textureLod(sampler2D(c, only), at.zw, 0.0) + textureLod(sampler1D(h, only), at.w, 0.0);
    two[i] = textureLod(sampler2D(d, only), at.xz, 0.0) + textureLod(sampler1D(e, only), at.y, 0.0) +
             textureLodOffset(sampler2D(f, only), at.yw, 0.0, ivec2(1, -2)) +
             textureLod(sampler2D(g, only), at.wx, 0.0);
}
