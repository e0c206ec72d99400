#version 450
// What is outside: each border's color and each way of repeating, through a filter, in one to three dimensions.
//! image in 0 rgba32f 1d 7 1 1 1 range -1 1
//! image in 1 rg16 2d 6 5 1 1
//! image in 2 rgba32f 3d 5 4 3 1 range -1 1
//! image in 3 r8 2d 5 6 1 1
//! image in 4 rgba32f 2d-array 5 5 2 1 range -1 1
//! sampler 5 linear nearest border black
//! sampler 6 linear nearest border white
//! sampler 7 linear nearest border transparent
//! sampler 8 linear nearest mirror
//! sampler 9 linear nearest repeat
//! in 10 f32 512 range -1.9 2.9
//! out 11 f32 512 abs 2e-2 filter 12
//! out 12 f32 512 abs 2e-2 filter 14
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture1D a;
layout(binding = 1) uniform texture2D b;
layout(binding = 2) uniform texture3D c;
layout(binding = 3) uniform texture2D d;
layout(binding = 4) uniform texture2DArray e;
layout(binding = 5) uniform sampler black;
layout(binding = 6) uniform sampler white;
layout(binding = 7) uniform sampler clear;
layout(binding = 8) uniform sampler mirror;
layout(binding = 9) uniform sampler repeat;
layout(std430, binding = 10) readonly buffer In { vec4 given[]; };
layout(std430, binding = 11) buffer One { vec4 one[]; };
layout(std430, binding = 12) buffer Two { vec4 two[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    one[i] = textureLod(sampler1D(a, black), at.x, 0.0) + textureLod(sampler2D(b, white), at.xy, 0.0) +
             textureLod(sampler3D(c, clear), at.yzw, 0.0) + textureLod(sampler2D(d, black), at.zw, 0.0);
    two[i] = textureLod(sampler1D(a, mirror), at.y, 0.0) + textureLod(sampler2D(b, repeat), at.zx, 0.0) +
             textureLod(sampler3D(c, mirror), at.xyz, 0.0) +
             textureLod(sampler2DArray(e, white), vec3(at.xy, at.z), 0.0);
}
