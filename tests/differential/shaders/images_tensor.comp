#version 450
// A convolution as inference libraries write it: tensors are images of four channels, weights a volume.
//! image in 0 rgba16f 3d 12 9 2 1 range -1 1
//! image in 1 rgba16f 3d 9 2 8 1 range -1 1
//! image in 2 rgba32f 1d 2 1 1 1 range -1 1
//! image out 3 rgba16f 3d 12 9 2 1 abs 1e-2
//! groups 2 2 2
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler3D source;
layout(binding = 1, rgba16f) uniform readonly image3D weights;
layout(binding = 2) uniform sampler1D bias;
layout(binding = 3, rgba16f) uniform writeonly image3D target;
//! sampler 0 nearest nearest clamp
//! sampler 2 nearest nearest clamp
void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID), size = imageSize(target);
    if (any(greaterThanEqual(at, size)))
        return;
    vec4 sum = texelFetch(bias, at.z, 0);
    for (int z = 0; z < 2; z++)
        for (int k = 0; k < 9; k++) {
            ivec3 from = ivec3(at.xy + ivec2(k % 3, k / 3) - 1, z);
            if (any(lessThan(from, ivec3(0))) || any(greaterThanEqual(from, size)))
                continue;
            vec4 value = texelFetch(source, from, 0);
            mat4 by = mat4(imageLoad(weights, ivec3(k, z, at.z * 4)), imageLoad(weights, ivec3(k, z, at.z * 4 + 1)),
                           imageLoad(weights, ivec3(k, z, at.z * 4 + 2)), imageLoad(weights, ivec3(k, z, at.z * 4 + 3)));
            sum += by * value;
        }
    imageStore(target, at, max(sum, vec4(0)));
}
