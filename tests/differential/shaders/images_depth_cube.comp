#version 450
// Cube maps that are compared with a depth, also over edges and corners, and by every comparison.
//! image in 0 r32f cube 8 8 6 3 range 0 1
//! image in 1 r32f cube-array 4 4 12 1 range 0 1
//! image in 2 r32f 2d 8 8 1 1 index 0 1
//! sampler 0 linear nearest clamp greater-equal
//! sampler 1 linear nearest clamp less
//! sampler 3 nearest nearest clamp less
//! sampler 4 nearest nearest clamp greater
//! sampler 5 nearest nearest clamp greater-equal
//! sampler 6 nearest nearest clamp less-equal
//! sampler 7 nearest nearest clamp always
//! in 8 f32 4096 range -1 1
//! out 9 f32 4096 filter 8
//! groups 16 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerCubeShadow a;
layout(binding = 1) uniform samplerCubeArrayShadow b;
layout(binding = 2) uniform texture2D plain;
layout(binding = 3) uniform samplerShadow less;
layout(binding = 4) uniform samplerShadow greater;
layout(binding = 5) uniform samplerShadow greater_equal;
layout(binding = 6) uniform samplerShadow less_equal;
layout(binding = 7) uniform samplerShadow always;
layout(std430, binding = 8) readonly buffer In { vec4 given[]; };
layout(std430, binding = 9) buffer Out { vec4 seen[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    float depth = at.w * 0.5 + 0.5;
    vec3 corner = vec3(1.0, 0.98 + 0.03 * at.x, 0.97 + 0.04 * at.y) * sign(at.zwx);
    seen[i].x = texture(a, vec4(at.xyz, depth)) + texture(b, vec4(at.yzx, at.w + 0.4), depth);
    seen[i].y = texture(a, vec4(corner, depth)) + texture(b, vec4(1.0, at.x, 0.97 + 0.05 * at.y, 1.0), depth);
    // equal, one less, or one more
    vec3 place = vec3((vec2(i % 8u, i / 8u % 8u) + 0.5) / 8.0, float(i % 64u + i % 3u) - 1.0);
    seen[i].z = textureLod(sampler2DShadow(plain, less), place, 0.0) +
                2.0 * textureLod(sampler2DShadow(plain, greater), place, 0.0) +
                4.0 * textureLod(sampler2DShadow(plain, greater_equal), place, 0.0) +
                8.0 * textureLod(sampler2DShadow(plain, less_equal), place, 0.0) +
                16.0 * textureLod(sampler2DShadow(plain, always), place, 0.0);
    seen[i].w = 0.0;
}
