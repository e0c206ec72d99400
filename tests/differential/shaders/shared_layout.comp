// Shared blocks with explicit layout, which all begin at the same byte: written as words, read as floats and vectors.
//! in 0 u32 128
//! out 1 u32 64
//! groups 2 1 1
#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
shared Words { uint words[64]; } w;
shared Vectors { layout(offset = 16) uvec4 vectors[15]; } v;
shared Signed { int pad; int numbers[40]; } s;

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    w.words[l] = a[2u * i];
    w.words[l + 32u] = a[2u * i + 1u];
    barrier();
    uvec4 one = v.vectors[l % 15u];
    uint sum = one.x + 3u * one.y + 5u * one.z + 7u * one.w + uint(s.numbers[l]) * 11u;
    barrier();
    s.numbers[l] = int(sum);
    uint own = w.words[l + 1u];
    barrier();
    v.vectors[l % 15u].z = 9u;
    barrier();
    o[i] = own + w.words[l] + w.words[32u + l] + uint(s.numbers[39u - (l & 7u)]);
}
