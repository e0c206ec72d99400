// How quantised matrix-vector kernels read blocks: a scale and packed numbers as structs, and the same bytes as words.
//! in 0 u32 288
//! in 1 f32 1024 range -1 1
//! out 2 f32 8 abs 1e-2 rel 1e-4
//! push u32 4
//! groups 8 1 1
#version 450
layout(local_size_x = 32) in;
struct block { uint scale; uint packed[4]; uint pad[4]; };
layout(std430, binding = 0) readonly buffer A { block a[]; };
layout(std430, binding = 0) readonly buffer W { uint w[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 1) readonly buffer B4 { vec4 b4[]; };
layout(std430, binding = 2) writeonly buffer D { float d[]; };
layout(push_constant) uniform P { uint blocks; };
shared float sums[32];

void main()
{
    uint row = gl_WorkGroupID.x, l = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint k = 0u; k < blocks; k++) {
        uint at = row * blocks + k;
        float scale = float(a[at].scale & 255u) * 0.0078125;
        uint word = w[at * 9u + 1u + l / 8u];
        float value = float((word >> (4u * (l & 7u))) & 15u) - 8.0;
        vec4 v = b4[k * 8u + l / 4u];
        sum += scale * value * (v[l & 3u] + b[k * 32u + l]);
    }
    sums[l] = sum;
    barrier();
    for (uint s = 16u; s > 0u; s /= 2u) {
        if (l < s)
            sums[l] += sums[l + s];
        barrier();
    }
    if (l == 0u)
        d[row] = sums[0];
}
