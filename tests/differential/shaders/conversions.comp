// Every conversion between numbers; floats stay within the narrowest integers.
//! in 0 i8 64
//! in 1 u8 64
//! in 2 i16 64
//! in 3 u16 64
//! in 4 i32 64
//! in 5 u32 64
//! in 6 i64 64
//! in 7 u64 64
//! in 8 f16 64 range 0 100
//! in 9 f32 64 range 0 100
//! in 10 f64 64 range 0 100
//! out 11 u64 5632
//! out 12 f64 2112 rel 0.001
//! groups 1 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In_i8 { int8_t from_i8[]; };
layout(std430, binding = 1) readonly buffer In_u8 { uint8_t from_u8[]; };
layout(std430, binding = 2) readonly buffer In_i16 { int16_t from_i16[]; };
layout(std430, binding = 3) readonly buffer In_u16 { uint16_t from_u16[]; };
layout(std430, binding = 4) readonly buffer In_i32 { int from_i32[]; };
layout(std430, binding = 5) readonly buffer In_u32 { uint from_u32[]; };
layout(std430, binding = 6) readonly buffer In_i64 { int64_t from_i64[]; };
layout(std430, binding = 7) readonly buffer In_u64 { uint64_t from_u64[]; };
layout(std430, binding = 8) readonly buffer In_f16 { float16_t from_f16[]; };
layout(std430, binding = 9) readonly buffer In_f32 { float from_f32[]; };
layout(std430, binding = 10) readonly buffer In_f64 { double from_f64[]; };
layout(std430, binding = 11) writeonly buffer Whole { uint64_t whole[]; };
layout(std430, binding = 12) writeonly buffer Real { double real[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 88u;
    uint p = i * 33u;
    whole[o + 0u] = uint64_t(int8_t(from_i8[i]));
    whole[o + 1u] = uint64_t(uint8_t(from_i8[i]));
    whole[o + 2u] = uint64_t(int16_t(from_i8[i]));
    whole[o + 3u] = uint64_t(uint16_t(from_i8[i]));
    whole[o + 4u] = uint64_t(int(from_i8[i]));
    whole[o + 5u] = uint64_t(uint(from_i8[i]));
    whole[o + 6u] = uint64_t(int64_t(from_i8[i]));
    whole[o + 7u] = uint64_t(uint64_t(from_i8[i]));
    real[p + 0u] = double(float16_t(from_i8[i]));
    real[p + 1u] = double(float(from_i8[i]));
    real[p + 2u] = double(double(from_i8[i]));
    whole[o + 8u] = uint64_t(int8_t(from_u8[i]));
    whole[o + 9u] = uint64_t(uint8_t(from_u8[i]));
    whole[o + 10u] = uint64_t(int16_t(from_u8[i]));
    whole[o + 11u] = uint64_t(uint16_t(from_u8[i]));
    whole[o + 12u] = uint64_t(int(from_u8[i]));
    whole[o + 13u] = uint64_t(uint(from_u8[i]));
    whole[o + 14u] = uint64_t(int64_t(from_u8[i]));
    whole[o + 15u] = uint64_t(uint64_t(from_u8[i]));
    real[p + 3u] = double(float16_t(from_u8[i]));
    real[p + 4u] = double(float(from_u8[i]));
    real[p + 5u] = double(double(from_u8[i]));
    whole[o + 16u] = uint64_t(int8_t(from_i16[i]));
    whole[o + 17u] = uint64_t(uint8_t(from_i16[i]));
    whole[o + 18u] = uint64_t(int16_t(from_i16[i]));
    whole[o + 19u] = uint64_t(uint16_t(from_i16[i]));
    whole[o + 20u] = uint64_t(int(from_i16[i]));
    whole[o + 21u] = uint64_t(uint(from_i16[i]));
    whole[o + 22u] = uint64_t(int64_t(from_i16[i]));
    whole[o + 23u] = uint64_t(uint64_t(from_i16[i]));
    real[p + 6u] = double(float16_t((from_i16[i] >> int16_t(6))));
    real[p + 7u] = double(float(from_i16[i]));
    real[p + 8u] = double(double(from_i16[i]));
    whole[o + 24u] = uint64_t(int8_t(from_u16[i]));
    whole[o + 25u] = uint64_t(uint8_t(from_u16[i]));
    whole[o + 26u] = uint64_t(int16_t(from_u16[i]));
    whole[o + 27u] = uint64_t(uint16_t(from_u16[i]));
    whole[o + 28u] = uint64_t(int(from_u16[i]));
    whole[o + 29u] = uint64_t(uint(from_u16[i]));
    whole[o + 30u] = uint64_t(int64_t(from_u16[i]));
    whole[o + 31u] = uint64_t(uint64_t(from_u16[i]));
    real[p + 9u] = double(float16_t((from_u16[i] >> uint16_t(6))));
    real[p + 10u] = double(float(from_u16[i]));
    real[p + 11u] = double(double(from_u16[i]));
    whole[o + 32u] = uint64_t(int8_t(from_i32[i]));
    whole[o + 33u] = uint64_t(uint8_t(from_i32[i]));
    whole[o + 34u] = uint64_t(int16_t(from_i32[i]));
    whole[o + 35u] = uint64_t(uint16_t(from_i32[i]));
    whole[o + 36u] = uint64_t(int(from_i32[i]));
    whole[o + 37u] = uint64_t(uint(from_i32[i]));
    whole[o + 38u] = uint64_t(int64_t(from_i32[i]));
    whole[o + 39u] = uint64_t(uint64_t(from_i32[i]));
    real[p + 12u] = double(float16_t((from_i32[i] >> int(20))));
    real[p + 13u] = double(float(from_i32[i]));
    real[p + 14u] = double(double(from_i32[i]));
    whole[o + 40u] = uint64_t(int8_t(from_u32[i]));
    whole[o + 41u] = uint64_t(uint8_t(from_u32[i]));
    whole[o + 42u] = uint64_t(int16_t(from_u32[i]));
    whole[o + 43u] = uint64_t(uint16_t(from_u32[i]));
    whole[o + 44u] = uint64_t(int(from_u32[i]));
    whole[o + 45u] = uint64_t(uint(from_u32[i]));
    whole[o + 46u] = uint64_t(int64_t(from_u32[i]));
    whole[o + 47u] = uint64_t(uint64_t(from_u32[i]));
    real[p + 15u] = double(float16_t((from_u32[i] >> uint(20))));
    real[p + 16u] = double(float(from_u32[i]));
    real[p + 17u] = double(double(from_u32[i]));
    whole[o + 48u] = uint64_t(int8_t(from_i64[i]));
    whole[o + 49u] = uint64_t(uint8_t(from_i64[i]));
    whole[o + 50u] = uint64_t(int16_t(from_i64[i]));
    whole[o + 51u] = uint64_t(uint16_t(from_i64[i]));
    whole[o + 52u] = uint64_t(int(from_i64[i]));
    whole[o + 53u] = uint64_t(uint(from_i64[i]));
    whole[o + 54u] = uint64_t(int64_t(from_i64[i]));
    whole[o + 55u] = uint64_t(uint64_t(from_i64[i]));
    real[p + 18u] = double(float16_t((from_i64[i] >> int64_t(52))));
    real[p + 19u] = double(float(from_i64[i]));
    real[p + 20u] = double(double(from_i64[i]));
    whole[o + 56u] = uint64_t(int8_t(from_u64[i]));
    whole[o + 57u] = uint64_t(uint8_t(from_u64[i]));
    whole[o + 58u] = uint64_t(int16_t(from_u64[i]));
    whole[o + 59u] = uint64_t(uint16_t(from_u64[i]));
    whole[o + 60u] = uint64_t(int(from_u64[i]));
    whole[o + 61u] = uint64_t(uint(from_u64[i]));
    whole[o + 62u] = uint64_t(int64_t(from_u64[i]));
    whole[o + 63u] = uint64_t(uint64_t(from_u64[i]));
    real[p + 21u] = double(float16_t((from_u64[i] >> uint64_t(52))));
    real[p + 22u] = double(float(from_u64[i]));
    real[p + 23u] = double(double(from_u64[i]));
    whole[o + 64u] = uint64_t(int8_t(from_f16[i]));
    whole[o + 65u] = uint64_t(uint8_t(from_f16[i]));
    whole[o + 66u] = uint64_t(int16_t(from_f16[i]));
    whole[o + 67u] = uint64_t(uint16_t(from_f16[i]));
    whole[o + 68u] = uint64_t(int(from_f16[i]));
    whole[o + 69u] = uint64_t(uint(from_f16[i]));
    whole[o + 70u] = uint64_t(int64_t(from_f16[i]));
    whole[o + 71u] = uint64_t(uint64_t(from_f16[i]));
    real[p + 24u] = double(float16_t(from_f16[i]));
    real[p + 25u] = double(float(from_f16[i]));
    real[p + 26u] = double(double(from_f16[i]));
    whole[o + 72u] = uint64_t(int8_t(from_f32[i]));
    whole[o + 73u] = uint64_t(uint8_t(from_f32[i]));
    whole[o + 74u] = uint64_t(int16_t(from_f32[i]));
    whole[o + 75u] = uint64_t(uint16_t(from_f32[i]));
    whole[o + 76u] = uint64_t(int(from_f32[i]));
    whole[o + 77u] = uint64_t(uint(from_f32[i]));
    whole[o + 78u] = uint64_t(int64_t(from_f32[i]));
    whole[o + 79u] = uint64_t(uint64_t(from_f32[i]));
    real[p + 27u] = double(float16_t(from_f32[i]));
    real[p + 28u] = double(float(from_f32[i]));
    real[p + 29u] = double(double(from_f32[i]));
    whole[o + 80u] = uint64_t(int8_t(from_f64[i]));
    whole[o + 81u] = uint64_t(uint8_t(from_f64[i]));
    whole[o + 82u] = uint64_t(int16_t(from_f64[i]));
    whole[o + 83u] = uint64_t(uint16_t(from_f64[i]));
    whole[o + 84u] = uint64_t(int(from_f64[i]));
    whole[o + 85u] = uint64_t(uint(from_f64[i]));
    whole[o + 86u] = uint64_t(int64_t(from_f64[i]));
    whole[o + 87u] = uint64_t(uint64_t(from_f64[i]));
    real[p + 30u] = double(float16_t(from_f64[i]));
    real[p + 31u] = double(float(from_f64[i]));
    real[p + 32u] = double(double(from_f64[i]));
}
