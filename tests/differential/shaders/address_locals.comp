// Pointers in local structs and arrays, in variables of the work-item, and in whole structs that are copied.
//! in 20 f32 64 range -3 3
//! in 3 8pad,f32,4pad 4 range 1 2
//! out 1 f32 64 ulp 4 abs 1e-5
//! push u64 0
//! address push 0 0 1 20 0 0
//! address 3 0 16 4 20 0 64
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Floats { float v[]; };
struct Pair {
    Floats at;
    float scale;
};
layout(push_constant) uniform Push { Floats all; };
layout(std430, binding = 3) readonly buffer Pairs { Pair pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { float values[]; };

Floats current;
Pair best = Pair(all, 0.0);

float apply(Pair p, uint i)
{
    current = p.at;
    return current.v[i] * p.scale;
}

void main()
{
    uint i = gl_LocalInvocationIndex;
    Pair list[4];
    for (uint k = 0u; k < 4u; k++)
        list[(k + i) & 3u] = pairs[k];
    Pair mine = list[i & 3u];
    mine.scale += 1.0;
    Floats handles[3] = Floats[](mine.at, all, pairs[3].at);
    float sum = 0.0;
    for (uint k = 0u; k < 4u; k++) {
        float value = apply(list[k], i & 15u);
        if (value > best.scale)
            best = Pair(current, value);
    }
    sum += best.at.v[3] + best.scale;
    sum += handles[i % 3u].v[i & 7u] * mine.scale;
    values[i] = sum + current.v[0];
}
