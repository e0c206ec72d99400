#version 450
#extension GL_EXT_samplerless_texture_functions : enable
layout(local_size_x = 8) in;
layout(binding = 0, rgba8) uniform image2D a;
layout(binding = 1) uniform sampler2DArray b;
layout(binding = 2) uniform texture3D c;
layout(binding = 3) uniform sampler d;
layout(binding = 4, r32ui) uniform uimageBuffer e;
layout(binding = 5) uniform isampler2D f;
vec4 look(sampler2DArray from, vec3 at) { return textureLodOffset(from, at, 1.5, ivec2(1, -1)); }
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = imageLoad(a, at) + look(b, vec3(at, 1)) + textureLod(sampler3D(c, d), vec3(at, 0.5), 0.0);
    for (int i = 0; i < 3; i++)
        sum += textureGather(b, vec3(at, i), 2) + texelFetch(c, ivec3(at, i), 0) + vec4(textureSize(c, i), 0);
    sum += vec4(textureGrad(f, vec2(at), vec2(0.1), vec2(0.2))) + float(imageAtomicAdd(e, at.x, 1u));
    if (sum.x > 1.0)
        imageStore(a, at.yx, sum);
}
