// Halves: bit casts and packing.
//! in 0 u32 256
//! in 1 f16 512 range -100 100
//! out 2 u32 1536
//! groups 4 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { f16vec2 b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 6u;
    f16vec2 h = b[i];
    c[o + 0u] = packFloat2x16(h);
    c[o + 1u] = packFloat2x16(h.yx * float16_t(2));
    c[o + 2u] = uint(float16BitsToUint16(h.x)) | uint(float16BitsToUint16(h.y)) << 16;
    c[o + 3u] = uint(uint16_t(float16BitsToInt16(h.x + h.y)));
    f16vec2 back = unpackFloat2x16(a[i] & 0x3bff3bffu);
    c[o + 4u] = packFloat2x16(back);
    float16_t built = uint16BitsToFloat16(uint16_t(a[i] & 0x3ffu | 0x3c00u));
    c[o + 5u] = uint(float16BitsToUint16(built + int16BitsToFloat16(int16_t(0x3c00))));
}
