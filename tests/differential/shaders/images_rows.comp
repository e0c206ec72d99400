#version 450
// Images in rows, of which a thread may do several: one is read and written in place, one sampled; a buffer beside them;
// work-items that leave early. No size is a multiple of the group's.
//! image inout 0 rgba8 2d 33 17 1 1
//! image in 1 rgba8 2d 16 8 1 1
//! sampler 1 nearest nearest clamp
//! image out 2 r32f 2d 37 13 1 1 abs 1e-5
//! inout 3 f32 470 range -1 1 abs 1e-5
//! groups 3 3 1
layout(local_size_x = 16, local_size_y = 6) in;

layout(binding = 0, rgba8) uniform image2D both;
layout(binding = 1) uniform sampler2D pattern;
layout(binding = 2, r32f) uniform writeonly image2D result;
layout(binding = 3) buffer Sums {
    float sums[];
};

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
    if (p.x >= size.x || p.y >= size.y)
        return;
    vec4 texel = textureLod(pattern, (vec2(p) + 0.25) / vec2(size), 0.0);
    vec4 own   = vec4(0.0);
    if (all(lessThan(p, imageSize(both)))) {
        own = imageLoad(both, p);
        if (own.x > 0.5)
            imageStore(both, p, own.wzyx);
    }
    imageStore(result, p, vec4(texel.x - own.y));
    uint at = uint(p.y * size.x + p.x);
    if (at < uint(sums.length()))
        sums[at] = texel.y + own.z + sums[at];
}
