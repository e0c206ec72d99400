#version 450
// Coordinates in texels of an image of several levels, which Vulkan leaves undefined.
//! image in 2 r16f 2d 13 7 1 3 range -1 1
//! sampler 7 linear nearest clamp texels
//! in 8 f32 1024 range -1.4 2.4
//! out 12 f32 1024 abs 1e-3 rel 1e-3 filter 4
//! groups 4 1 1
layout(local_size_x = 64) in;
layout(binding = 2) uniform texture2D c;
layout(binding = 7) uniform sampler h;
layout(std430, binding = 8) readonly buffer In { vec4 given[]; };
layout(std430, binding = 12) buffer Apart { vec4 four[]; };
void main()
{
    uint i  = gl_GlobalInvocationID.x;
    four[i] = textureLod(sampler2D(c, h), given[i].xy * 10.0, 0.0);
}
