// Bits of one type seen as another, in all widths.
//! in 0 u64 128
//! in 1 f64 128 range -100 100
//! out 2 u64 1152
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint64_t a[]; };
layout(std430, binding = 1) readonly buffer B { double b[]; };
layout(std430, binding = 2) writeonly buffer C { uint64_t c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 9u;
    uint64_t x = a[i];
    uvec2 two = unpack32(x);
    u16vec4 four = unpack16(x);
    u8vec4 bytes = unpack8(two.x);
    c[o + 0u] = pack64(two.yx);
    c[o + 1u] = pack64(four.wzyx);
    c[o + 2u] = uint64_t(pack32(bytes.wzyx)) << 32 | uint64_t(pack32(four.zx));
    c[o + 3u] = doubleBitsToUint64(b[i]);
    c[o + 4u] = uint64_t(doubleBitsToInt64(b[i] * 0.5LF));
    uvec2 words = unpackDouble2x32(b[i]);
    c[o + 5u] = pack64(words) + uint64_t(words.x);
    c[o + 6u] = doubleBitsToUint64(packDouble2x32(uvec2(words.y, words.x & 0x3fffffffu | 0x3ff00000u)));
    c[o + 7u] = uint64_t(pack16(unpack8(four.y).yx));
    c[o + 8u] = doubleBitsToUint64(uint64BitsToDouble((x & 0xfffffffffffffUL) | 0x3ff0000000000000UL) + 1.0LF);
}
