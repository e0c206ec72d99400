#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// One scalar of each type, each to a place of 8 bytes, the rest of which is zero.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Result { uint64_t values[]; } result;
layout(push_constant) uniform Constants {
    uint8_t u8;
    int8_t i8;
    uint16_t u16;
    int16_t i16;
    uint u32;
    int i32;
    float f32;
    uint64_t u64;
    uint8_t v8;
    int64_t i64;
    double f64;
};

void main()
{
    result.values[0]  = uint64_t(u8);
    result.values[1]  = uint64_t(i8) & 0xffUL;
    result.values[2]  = uint64_t(u16);
    result.values[3]  = uint64_t(i16) & 0xffffUL;
    result.values[4]  = uint64_t(u32);
    result.values[5]  = uint64_t(uint(i32));
    result.values[6]  = uint64_t(floatBitsToUint(f32));
    result.values[7]  = u64;
    result.values[8]  = uint64_t(v8);
    result.values[9]  = uint64_t(i64);
    result.values[10] = packUint2x32(unpackDouble2x32(f64));
}
