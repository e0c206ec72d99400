#version 450
// A picture pulled along a field of motion, half-way from each of two frames, which are bound apart from samplers. An error of
// the motion, 12/256 texels, half of it in each direction, moves both frames.
//! image in 0 rgba8 2d 32 20 1 1
//! image in 1 rgba8 2d 32 20 1 1
//! image in 2 rg16f 2d 16 10 1 1 range -3 3
//! image out 3 rgba32f 2d 32 20 1 1 abs 2e-2 filter 14
//! sampler 4 linear nearest clamp
//! sampler 5 nearest nearest mirror
//! groups 4 3 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform texture2D before;
layout(binding = 1) uniform texture2D after;
layout(binding = 2) uniform texture2D motion;
layout(binding = 3, rgba32f) uniform writeonly image2D target;
layout(binding = 4) uniform sampler smooth_one;
layout(binding = 5) uniform sampler sharp_one;
vec4 moved(texture2D frame, vec2 at)
{
    return textureLod(sampler2D(frame, smooth_one), at, 0.0);
}
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
    if (any(greaterThanEqual(at, size)))
        return;
    vec2 place = (vec2(at) + 0.5) / vec2(size);
    vec2 by = textureLod(sampler2D(motion, smooth_one), place, 0.0).xy / vec2(size);
    vec4 middle = 0.5 * (moved(before, place - 0.5 * by) + moved(after, place + 0.5 * by));
    middle.a = textureLod(sampler2D(before, sharp_one), place * 3.0 - 0.99, 0.0).a;
    imageStore(target, at, middle);
}
