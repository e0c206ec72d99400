#version 450
/* Writes a number made of its place to each texel, of more texels than there are; adds what it was. */
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
layout(binding = 0, r32ui) uniform uimage2DArray target;
layout(std430, binding = 1) buffer Size { ivec4 size; };

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (at == ivec3(0))
        size = ivec4(imageSize(target), 0);
    uint before = imageLoad(target, at).x;
    imageStore(target, at, uvec4(before + uint(at.x + 100 * at.y + 10000 * at.z), 0, 0, 0));
}
