#version 450
// Multisampled images are arrays of their samples: fetched at all samples, with offsets of the coordinate, sizes, numbers.
//! image in 0 rgba8 2d-array 12 7 4 1
//! image in 1 r32i 2d-array 9 9 2 1
//! image in 2 rgba16ui 2d-array 5 6 8 1
//! out 3 f32 1024 ulp 4
//! out 4 i32 256
//! out 5 u32 256
//! groups 4 4 1
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) uniform texture2DMS a;
layout(binding = 1) uniform itexture2DMS b;
layout(binding = 2) uniform utexture2DMS c;
layout(std430, binding = 3) writeonly buffer X { vec4 x[]; };
layout(std430, binding = 4) writeonly buffer Y { int y[]; };
layout(std430, binding = 5) writeonly buffer Z { uint z[]; };
#extension GL_EXT_samplerless_texture_functions : require
vec4 mean(ivec2 at)
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < textureSamples(a); i++)
        sum += texelFetch(a, at, i);
    return sum / 4.0;
}
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) - ivec2(2, 1);
    uint i = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    int sample_number = int(i) % 3;
    x[i] = mean(at) + texelFetch(a, ivec2(at.y, at.x), sample_number).wxyz;
    y[i] = texelFetch(b, at, 0).x - texelFetch(b, at + ivec2(1, 0), sample_number).x + texelFetch(b, at, -1).x +
           textureSize(b).x * 1000 + textureSize(b).y * 10 + textureSamples(b);
    uvec4 last = texelFetch(c, at / 2, textureSamples(c) - 1);
    z[i] = last.x ^ last.y << 3 ^ last.z << 5 ^ last.w << 7 ^ uint(textureSize(c).y);
}
