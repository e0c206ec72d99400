#version 450
/* target = factor × source + addend, of each texel; added to the target where `keep` is 1. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform readonly uimage2D source;
layout(binding = 1, r32ui) uniform uimage2D target;
layout(push_constant) uniform Arguments { uint factor; uint addend; uint keep; };

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
    if (any(greaterThanEqual(at, size)))
        return;
    uint texel = factor * imageLoad(source, at).x + addend;
    if (keep != 0)
        texel += imageLoad(target, at).x;
    imageStore(target, at, uvec4(texel, 0, 0, 0));
}
