#version 450
// Arrays of cube maps: the nearest cube, sizes in cubes, gradients, gathers. Gathers keep 1/40 texel away from the edges of their
// four texels.
//! image in 0 rgba32f cube-array 6 6 18 2 range -1 1
//! image in 1 rgba8 cube 16 16 6 5
//! sampler 0 linear nearest clamp
//! sampler 1 nearest nearest clamp
//! in 2 f32 4096 range -1 1
//! out 3 f32 4096 filter 6
//! out 4 f32 4096 abs 1e-5
//! out 5 f32 4096 abs 1e-5
//! groups 16 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerCubeArray skies;
layout(binding = 1) uniform samplerCube levels;
layout(std430, binding = 2) readonly buffer In { vec4 given[]; };
layout(std430, binding = 3) buffer Out { vec4 seen[]; };
layout(std430, binding = 4) buffer Gathered { vec4 gathered[]; };
layout(std430, binding = 5) buffer Steps { vec4 steps[]; };
vec3 way(uint face, vec2 place)
{
    vec3 ways[6] = vec3[](vec3(1.0, -place.y, -place.x), vec3(-1.0, -place.y, place.x), vec3(place.x, 1.0, place.y),
                          vec3(place.x, -1.0, -place.y), vec3(place.x, -place.y, 1.0), vec3(-place.x, -place.y, -1.0));
    return ways[face];
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    seen[i] = textureLod(skies, vec4(at.xyz, at.w * 4.0 + 0.3), 0.0) + textureLod(skies, vec4(at.zxy, 1.0), 1.0);
    seen[i].x += float(textureSize(skies, 0).z);
    // a place between the middles of texels; the outermost would have texels of other faces
    vec2 between = (floor((at.xy * 0.5 + 0.5) * 5.0) + 1.0) / 3.0 - 1.0 + 0.1 * at.zw;
    vec2 outside = vec2(0.98, (floor((at.y * 0.5 + 0.5) * 5.0) + 1.0) / 3.0 - 1.0 + 0.1 * at.w);
    gathered[i] = textureGather(skies, vec4(way(i % 6u, between), float(i % 3u)), 2) +
                  textureGather(skies, vec4(way(i % 6u, outside), 1.0), int(0));
    // the middle of a texel of the smallest level but one, whose level the steps give
    vec2 middle = floor(at.xy * 0.999 + 1.0) - 0.5;
    steps[i] = textureGrad(levels, vec3(middle.x, 1.0, middle.y) * 3.0, vec3(3.0, 0.0, 0.0), vec3(0.0, 0.0, 0.1)) +
               textureGrad(levels, vec3(middle.x, -middle.y, -2.0), vec3(0.0, 0.0, 0.0), vec3(0.0, 2.0, 0.0));
}
