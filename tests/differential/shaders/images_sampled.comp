#version 450
// Samples: filters, address modes, borders, levels, offsets; images with and without their own sampler.
//! image in 0 rgba32f 2d 16 8 1 4 range 0 1
//! image in 1 rgba8 2d 16 8 1 1
//! image in 2 r16f 2d 13 7 1 3 range -1 1
//! image in 3 rgba32f 3d 8 6 4 1 range 0 1
//! image in 4 rgba32f 2d-array 8 6 4 1 range 0 1
//! image in 5 rgba32f 1d 32 1 1 1 range 0 1
//! image in 14 rgba32i 2d 16 8 1 2
//! image in 15 r16f 2d 13 7 1 1 range -1 1
//! sampler 0 linear linear repeat
//! sampler 1 linear nearest mirror
//! sampler 3 linear nearest clamp
//! sampler 4 linear nearest border white
//! sampler 5 linear nearest border transparent
//! sampler 6 nearest nearest mirror
//! sampler 7 linear nearest clamp texels
//! sampler 14 nearest nearest repeat
//! in 8 f32 1024 range -1.4 2.4
//! out 9 f32 1024 abs 1e-3 rel 1e-3 filter 5
//! out 10 f32 1024 abs 2e-2
//! out 11 f32 1024 abs 1e-3 rel 1e-3 filter 8
//! out 12 f32 1024 abs 1e-3 rel 1e-3 filter 4
//! out 13 i32 1024
//! groups 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler2D b;
layout(binding = 2) uniform texture2D c;
layout(binding = 3) uniform sampler3D d;
layout(binding = 4) uniform sampler2DArray e;
layout(binding = 5) uniform sampler1D f;
layout(binding = 6) uniform sampler g;
layout(binding = 7) uniform sampler h;
layout(binding = 14) uniform isampler2D k;
layout(binding = 15) uniform texture2D l; // one level, which Vulkan wants for coordinates in texels
layout(std430, binding = 8) readonly buffer In { vec4 given[]; };
layout(std430, binding = 9) buffer Out { vec4 one[]; };
layout(std430, binding = 10) buffer Bytes { vec4 two[]; };
layout(std430, binding = 11) buffer Shapes { vec4 three[]; };
layout(std430, binding = 12) buffer Apart { vec4 four[]; };
layout(std430, binding = 13) buffer Whole { ivec4 five[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    one[i] = textureLod(a, at.xy, at.z * 1.5) + textureLodOffset(a, at.xy, 0.0, ivec2(2, -1));
    two[i] = textureLod(b, at.xy, 0.0);
    three[i] = textureLod(d, at.xyz, 0.0) + textureLod(e, vec3(at.xy, at.z * 2.0), 0.0) +
               textureLod(f, at.x, 0.0) + textureProjLod(a, vec3(at.xy, 2.0), 0.0);
    four[i] = textureLod(sampler2D(c, g), at.xy, floor(abs(at.z))) +
              textureLod(sampler2D(l, h), at.xy * 10.0, 0.0);
    five[i] = textureLod(k, at.xy, 0.0);
}
