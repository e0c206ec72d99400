#version 450
// Cube maps by directions: filters over edges and corners, mip levels, gradients, sizes. The nearest samples keep away from the
// edges of texels by the choice of directions, which are not random.
//! image in 0 rgba32f cube 8 8 6 4 range -1 1
//! image in 1 rgba8 cube 5 5 6 1
//! image in 2 r32ui cube 4 4 6 1
//! image in 3 r32f cube 1 1 6 1 range -1 1
//! sampler 0 linear linear repeat
//! sampler 1 linear nearest border white
//! sampler 2 nearest nearest clamp
//! sampler 3 linear nearest mirror
//! in 4 f32 4096 range -1 1
//! out 5 f32 4096 filter 12
//! out 6 f32 4096 filter 8
//! out 7 u32 1024
//! groups 16 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerCube smooth_sky;
layout(binding = 1) uniform samplerCube sky;
layout(binding = 2) uniform usamplerCube marks;
layout(binding = 3) uniform samplerCube tiny;
layout(std430, binding = 4) readonly buffer In { vec4 given[]; };
layout(std430, binding = 5) buffer Out { vec4 seen[]; };
layout(std430, binding = 6) buffer More { vec4 more[]; };
layout(std430, binding = 7) buffer Marks { uint mark[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    seen[i] = textureLod(smooth_sky, at.xyz, 3.0 * abs(at.w)) + textureLod(sky, at.zxy, 0.0);
    // near an edge, and near a corner
    vec3 edge = vec3(1.0, at.x, 0.97 + 0.05 * at.y), corner = vec3(1.0, 0.98 + 0.03 * at.x, 0.97 + 0.04 * at.y);
    more[i] = texture(sky, edge) + textureLod(sky, corner * sign(at.zwx), 0.0) + 0.5 * textureLod(tiny, at.yxw, 0.0);
    // the middles of the texels of a face
    uint texel = i % 96u;
    vec2 place = (vec2(texel % 4u, texel / 4u % 4u) + 0.5) / 2.0 - 1.0;
    vec3 ways[6] = vec3[](vec3(1.0, -place.y, -place.x), vec3(-1.0, -place.y, place.x), vec3(place.x, 1.0, place.y),
                          vec3(place.x, -1.0, -place.y), vec3(place.x, -place.y, 1.0), vec3(-place.x, -place.y, -1.0));
    mark[i] = textureLod(marks, ways[texel / 16u] * (1.5 + at.x), 0.0).x + uint(textureSize(smooth_sky, 1).y) +
              uint(textureQueryLevels(smooth_sky)) + uint(textureSize(marks, 0).x);
}
