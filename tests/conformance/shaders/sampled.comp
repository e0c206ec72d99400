#version 450
/* target[i] = source at x + i × step, of a level; through a sampler that is bound with the image, or apart. */
layout(local_size_x = 64) in;
layout(constant_id = 0) const bool is_apart = false;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) uniform texture2D picture;
layout(binding = 2) uniform sampler how;
layout(std430, binding = 3) writeonly buffer Target { vec4 target[]; };
layout(push_constant) uniform Arguments { vec2 first; vec2 step; float level; uint count; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    vec2 at = first + float(i) * step;
    if (is_apart)
        target[i] = textureLod(sampler2D(picture, how), at, level);
    else
        target[i] = textureLod(source, at, level);
}
