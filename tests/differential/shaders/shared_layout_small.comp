// Bytes and halves in shared blocks, and atomics on the words that they make.
//! in 0 u32 64
//! out 1 u32 64
//! groups 1 1 1
#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
shared Bytes { uint8_t bytes[256]; } b;
shared Shorts { uint16_t shorts[128]; } h;
shared Words { uint words[64]; } w;

void main()
{
    uint l = gl_LocalInvocationID.x;
    for (uint k = 0u; k < 4u; k++)
        b.bytes[4u * l + k] = uint8_t(a[l] >> (8u * k));
    barrier();
    atomicAdd(w.words[l ^ 1u], 0x00010001u);
    barrier();
    uint sum = uint(h.shorts[(2u * l + 7u) & 127u]) + uint(b.bytes[255u - l]) * 65536u;
    o[l] = sum ^ w.words[63u - l];
}
