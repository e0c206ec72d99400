#version 450
/* target[i] = 2 × source[i], in texels of any format. */
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerBuffer source;
layout(binding = 1, r32f) uniform writeonly imageBuffer target;

void main()
{
    int i = int(gl_GlobalInvocationID.x);
    if (i < textureSize(source))
        imageStore(target, i, vec4(2.0 * texelFetch(source, i).x));
}
