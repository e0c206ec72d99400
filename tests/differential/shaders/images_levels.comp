#version 450
// Levels of sampled images of odd sizes: fetched, sampled at and between levels, their sizes and number.
//! image in 0 rgba32f 2d 21 13 1 5 range 0 1
//! image in 1 r32f 3d 9 7 5 4 range 0 1
//! image in 2 rgba32f 2d-array 11 6 3 3 range -1 1
//! image in 3 r16 1d-array 19 1 4 5
//! sampler 0 nearest linear repeat
//! sampler 1 linear nearest clamp
//! sampler 2 linear linear mirror
//! sampler 3 nearest nearest clamp
//! in 4 f32 512 range -0.9 1.9
//! out 5 f32 512 abs 2e-3 filter 10
//! out 6 f32 512 abs 1e-5
//! out 7 i32 64
//! groups 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler3D b;
layout(binding = 2) uniform sampler2DArray c;
layout(binding = 3) uniform sampler1DArray d;
layout(std430, binding = 4) readonly buffer In { vec4 given[]; };
layout(std430, binding = 5) buffer Sampled { vec4 sampled[]; };
layout(std430, binding = 6) buffer Fetched { vec4 fetched[]; };
layout(std430, binding = 7) buffer Sizes { int sizes[64]; };
void main()
{
    int i = int(gl_GlobalInvocationID.x);
    vec4 at = given[i];
    float level = float(i % 17) * 0.24 + 0.01;
    sampled[i] = textureLod(a, at.xy, level) + textureLod(b, at.xyz, floor(level)).xxxx +
                 textureLod(c, vec3(at.xy, float(i % 5) - 0.7), level * 0.5);
    fetched[i] = texelFetch(a, ivec2(i % 21, i % 13) >> (i % 5), i % 5) +
                 texelFetch(b, ivec3(i % 9, i % 7, i % 5) >> (i % 4), i % 4) +
                 texelFetch(c, ivec3(ivec2(i % 11, i % 6) >> (i % 3), i % 3), i % 3) +
                 texelFetch(d, ivec2((i % 19) >> (i % 5), i % 4), i % 5) +
                 textureLod(d, vec2(at.x, float(i % 4)), floor(level)).xxxx;
    /* One work-item asks, since some drivers take one level for all items that ask at once. */
    for (int level = 0; i == 0 && level < 5; level++) {
        ivec2 plane = textureSize(a, level);
        ivec3 volume = textureSize(b, min(level, 3)), layers = textureSize(c, min(level, 2));
        sizes[level * 8] = plane.x * 1000 + plane.y;
        sizes[level * 8 + 1] = volume.x * 10000 + volume.y * 100 + volume.z;
        sizes[level * 8 + 2] = layers.x * 10000 + layers.y * 100 + layers.z;
        sizes[level * 8 + 3] = textureSize(d, level).x * 1000 + textureSize(d, level).y;
        sizes[level * 8 + 4] = textureQueryLevels(a) + 10 * textureQueryLevels(b) + 100 * textureQueryLevels(c) +
                               1000 * textureQueryLevels(d);
    }
}
