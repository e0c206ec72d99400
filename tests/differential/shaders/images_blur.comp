#version 450
// A separable blur through shared memory: rows are fetched with their neighbours, clamped at the edges.
//! image in 0 rgba8 2d 53 21 1 1
//! image out 1 rgba16f 2d 53 21 1 1 ulp 2
//! image out 2 r32f 2d 53 21 1 1 abs 1e-5
//! groups 2 21 1
layout(local_size_x = 32) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, rgba16f) uniform writeonly image2D target;
layout(binding = 2, r32f) uniform writeonly image2D grey;
//! sampler 0 nearest nearest clamp
const int RADIUS = 3;
const float weights[4] = float[](0.4, 0.2, 0.075, 0.025);
shared vec4 row[32 + 2 * RADIUS];
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = textureSize(source, 0);
    int i = int(gl_LocalInvocationID.x), first = int(gl_WorkGroupID.x) * 32 - RADIUS;
    for (int k = i; k < 32 + 2 * RADIUS; k += 32)
        row[k] = texelFetch(source, ivec2(clamp(first + k, 0, size.x - 1), at.y), 0);
    barrier();
    vec4 sum = vec4(0);
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weights[abs(k)] * row[i + RADIUS + k];
    imageStore(target, at, sum);
    imageStore(grey, at, vec4(dot(sum.rgb, vec3(0.2126, 0.7152, 0.0722))));
}
