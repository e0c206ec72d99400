#version 450
#extension GL_EXT_shader_image_load_formatted : require
// Images: written and read in any format, sampled, fetched, gathered from, asked for their size.
layout(local_size_x = 16) in;

layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform image2D real;
layout(binding = 2) uniform iimage2D whole;
layout(binding = 3) uniform uimage2D natural;
layout(binding = 4, rgba8) uniform image2D bytes;
layout(std430, binding = 5) readonly buffer In { vec4 given[]; };
layout(std430, binding = 6) buffer Out { vec4 made[]; };
layout(binding = 7, r32ui) uniform uimage2D counters;

vec4 sampled(sampler2D from, vec4 at) { return textureLod(from, at.xy, at.z); }

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec2 at = ivec2(i, 0);

    imageStore(real, at, given[i]);
    made[8 * i] = imageLoad(real, at);
    imageStore(whole, at, ivec4(given[i]));
    made[8 * i + 1] = vec4(imageLoad(whole, at));
    imageStore(natural, at, uvec4(abs(given[i])));
    made[8 * i + 2] = vec4(imageLoad(natural, at));
    imageStore(bytes, at + ivec2(0, 5), given[i]);
    imageStore(bytes, at, given[i]);
    made[8 * i + 3] = imageLoad(bytes, at) + imageLoad(bytes, ivec2(-1, 0));
    made[8 * i + 4] = sampled(picture, given[i]);
    made[8 * i + 5] = textureGatherOffset(picture, given[i].xy, ivec2(1, 0), 1);
    made[8 * i + 6] = texelFetch(picture, ivec2(given[i].xy * 8.0), int(given[i].z));
    made[8 * i + 7] = vec4(textureSize(picture, 1), textureQueryLevels(picture), imageSize(real).x);
    imageAtomicAdd(counters, ivec2(i & 1u, 1), i);
    imageAtomicMax(counters, ivec2(0, 7), i);
}
