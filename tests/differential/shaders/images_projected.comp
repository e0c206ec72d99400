#version 450
// Coordinates that are divided, with offsets and gradients.
//! image in 0 rgba32f 2d 32 16 1 4 range 0 1
//! image in 1 rgba32f 3d 8 8 8 1 range 0 1
//! image in 2 rgba32f 1d 32 1 1 1 range 0 1
//! image in 3 rgba32f 2d-array 16 16 3 3 range 0 1
//! sampler 0 nearest nearest repeat
//! sampler 1 nearest nearest mirror
//! sampler 2 nearest nearest clamp
//! sampler 3 nearest nearest repeat
//! in 4 f32 512 range 0.1 1.7
//! out 5 f32 512 abs 1e-5
//! out 6 f32 512 abs 1e-5
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler3D b;
layout(binding = 2) uniform sampler1D c;
layout(binding = 3) uniform sampler2DArray d;
layout(std430, binding = 4) readonly buffer In { vec4 given[]; };
layout(std430, binding = 5) buffer One { vec4 one[]; };
layout(std430, binding = 6) buffer Two { vec4 two[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    one[i] = textureProjLod(a, vec4(at.xy, 0.0, 2.0), 1.0) + textureProjLod(b, vec4(at.xyz, 0.5), 0.0) +
             textureProjLod(c, vec2(at.w, 4.0), 0.0) + textureProjLodOffset(a, at.xyw, 0.0, ivec2(-3, 5));
    two[i] = textureGradOffset(a, at.xy, vec2(1.9 / 32.0, 0.0), vec2(0.0, 0.2 / 16.0), ivec2(2, -7)) +
             textureGrad(d, vec3(at.zw, 1.2), vec2(0.3 / 16.0), vec2(0.0, 3.9 / 16.0)) +
             textureProjGrad(a, vec3(at.yz, 0.5), vec2(0.0), vec2(0.0)) +
             textureLodOffset(d, vec3(at.xy, 2.0), 0.0, ivec2(-8, 7)) + textureLodOffset(c, at.x, 0.0, 4) +
             texelFetchOffset(c, int(i % 20u), 0, 6);
}
