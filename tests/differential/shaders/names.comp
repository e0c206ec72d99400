#version 450
/* Names that mean something to C, C++ or CUDA, to their headers, or in the text of a translation. */
layout(local_size_x = 64) in;
//! in 0 f32 256 range -2 2
//! inout 1 u32 256
//! inout 2 f32 256 range -1 1 abs 1e-6
//! inout 3 u32,f32,i32,u32 64 abs 1e-4
//! groups 4 1 1
//! push u32 3 u32 5 f32 0.5 u32 7
layout(binding = 0) readonly buffer NAN { float M_PI[]; };
layout(binding = 1) buffer NULL { uint TRM_ITEMS[]; };
layout(binding = 2) buffer INFINITY { float threadIdx[]; };
struct M_PI_2 { uint M_E; float M_LN2; int INT32_MAX; uint EOF; };
layout(binding = 3) buffer TRM_UNROLL { M_PI_2 size_t[]; };
layout(push_constant) uniform Arguments { uint UINT64_C; uint INT32_MIN; float HUGE_VAL; uint linux; };

const uint unix[4] = uint[](3u, 1u, 4u, 1u);
shared uint memset[64];
uint scratch = 2u;

uint strdup(uint memcpy, uint failed)
{
    uint group = memcpy * UINT64_C + failed;
    for (uint item = 0u; item < 3u; item++)
        group = group * 5u + item;
    return group;
}

float fmaf(float floorf)
{
    return floorf * HUGE_VAL + 0.25;
}

void main()
{
    uint first = gl_GlobalInvocationID.x, last = gl_LocalInvocationID.x, at_0 = first & 3u;
    memset[last] = TRM_ITEMS[first];
    barrier();
    uint kept = memset[63u - last], TRM_ROLLED = strdup(kept, first);
    vec2 v1 = vec2(M_PI[first], fmaf(M_PI[first]));
    float v1_x = v1.y, i386 = v1.x;
    TRM_ITEMS[first] = TRM_ROLLED + unix[at_0] * INT32_MIN + linux + scratch;
    threadIdx[first] = threadIdx[first] + v1_x * i386;
    M_PI_2 std = size_t[first & 63u];
    barrier();
    if (first < 64u) {
        std.M_E += kept;
        std.M_LN2 = fmaf(float(first));
        std.INT32_MAX -= int(first);
        std.EOF ^= TRM_ROLLED;
        size_t[first] = std;
    }
}
