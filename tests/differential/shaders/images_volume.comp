#version 450
// A ray through a volume, sampled between its texels, until it is opaque; a table of colours from a 1D image. The table is a
// ramp: an error of the density, 3/256, becomes one of the colour, and up to 16 steps of 0.3 add up.
//! image in 0 r16f 3d 12 10 8 1 range 0 1
//! image in 1 rgba8 1d 32 1 1 1 index 0 2
//! image out 2 rgba32f 2d 24 16 1 1 abs 2e-2 filter 20
//! sampler 0 linear nearest border transparent
//! sampler 1 linear nearest clamp
//! groups 3 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform sampler1D colours;
layout(binding = 2, rgba32f) uniform writeonly image2D target;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec3 place = vec3((vec2(at) + 0.5) / vec2(24.0, 16.0) * 1.2 - 0.1, -0.2);
    vec3 step = vec3(0.01, 0.02, 0.09);
    vec4 sum = vec4(0);
    for (int i = 0; i < 16 && sum.a < 0.98; i++) {
        float density = textureLod(volume, place, 0.0).x;
        vec4 colour = textureLod(colours, density, 0.0);
        sum += (1.0 - sum.a) * vec4(colour.rgb, 1.0) * density * 0.3;
        place += step;
    }
    imageStore(target, at, sum);
}
