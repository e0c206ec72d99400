#version 450
/* An image turned by a sampler: neither a bound nor a buffer. */
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1, rgba8) uniform writeonly image2D result;
layout(push_constant) uniform Parameters { float c; float s; };

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
    if (p.x >= size.x || p.y >= size.y)
        return;
    vec2 d = (vec2(p) + 0.5) / vec2(size) - 0.5;
    imageStore(result, p, textureLod(image, vec2(c * d.x - s * d.y, s * d.x + c * d.y) + 0.5, 0.0));
}
