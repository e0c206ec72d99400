#version 450
// Samplers that compare with a depth: filters, levels, borders, layers, projections, offsets and gathers. Gathers keep 1/40 texel away
// from the edges of their four texels.
//! image in 0 r32f 2d 16 8 1 3 range 0 1
//! image in 1 r32f 2d-array 8 8 3 1 range 0 1
//! image in 2 r32f 1d 32 1 1 1 index 0 1
//! image in 3 r32f 1d-array 16 1 3 1 range 0 1
//! sampler 0 linear linear repeat less-equal
//! sampler 1 linear nearest border white greater
//! sampler 2 nearest nearest clamp equal
//! sampler 3 nearest nearest mirror not-equal
//! in 4 f32 4096 range -0.5 1.5
//! out 5 f32 4096 filter 8
//! out 6 f32 4096 abs 1e-5
//! groups 16 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2DShadow a;
layout(binding = 1) uniform sampler2DArrayShadow b;
layout(binding = 2) uniform sampler1DShadow c;
layout(binding = 3) uniform sampler1DArrayShadow d;
layout(std430, binding = 4) readonly buffer In { vec4 given[]; };
layout(std430, binding = 5) buffer Out { vec4 seen[]; };
layout(std430, binding = 6) buffer Gathered { vec4 gathered[]; };
const ivec2 offsets[4] = ivec2[](ivec2(0, 0), ivec2(3, 1), ivec2(-2, 2), ivec2(1, -4));
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = given[i];
    seen[i] = vec4(textureLod(a, at.xyz, at.w * 2.0),
                   texture(b, vec4(at.xy, float(i % 4u), at.z)),
                   textureLod(c, vec3((float(i % 32u) + 0.5) / 32.0, 0.0, float(i % 5u + i % 32u) - 2.0), 0.0),
                   textureLod(d, vec3((floor(at.x * 40.0) + 0.5) / 40.0, at.y * 3.0, at.z), 0.0));
    seen[i].x += textureProjLod(a, vec4(at.xyz, 1.5), 0.0) + textureLodOffset(a, at.xyz, 1.0, ivec2(1, -2));
    seen[i].y += textureGrad(a, at.yxz, vec2(2.0 / 16.0, 0.0), vec2(0.0, 0.1));
    vec4 to = (floor(at * 96.0) + 0.4) / 96.0;
    gathered[i] = textureGather(a, to.xy, to.z) + textureGatherOffset(a, to.xy, to.w, ivec2(1, -2)) +
                  textureGatherOffsets(a, to.yx, 0.5, offsets) + textureGather(b, to.xyw, to.z);
}
