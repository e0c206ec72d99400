#version 450
/* An image turned and scaled about its center, by a sampler with a linear filter. */
layout(local_size_x = 16, local_size_y = 16) in;

layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D result;
layout(push_constant) uniform Parameters {
    int width;
    int height;
    float c; /* of the turn, over the scale */
    float s;
};

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (p.x >= width || p.y >= height)
        return;
    vec2 size = vec2(width, height), d = vec2(p) + 0.5 - 0.5 * size;
    vec2 from = vec2(c * d.x - s * d.y, s * d.x + c * d.y) / size + 0.5;
    imageStore(result, p, textureLod(image, from, 0.0));
}
