// Numbers of 8, 16 and 64 bits through pointers, in the scalar layout.
//! in 20 u8,i8,f16,u16,i16,f64,i64,u64 32 range 1 100
//! out 21 i32,2f16,u16,2u8,4pad,f64,i64 32 ulp 1
//! push u64 0 0
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer In {
    uint8_t a;
    int8_t b;
    float16_t c;
    uint16_t d;
    int16_t e;
    double f;
    int64_t g;
    uint64_t h;
};
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Out {
    int a;
    f16vec2 b;
    uint16_t c;
    u8vec2 d;
    layout(offset = 16) double e;
    int64_t f;
};
layout(push_constant) uniform Push { In from; uint64_t to; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    In f = from + int(i);
    Out t = Out(to + i * 32u);
    t.a = int(f.a) - int(f.b) + int(f.e);
    t.b = f16vec2(f.c, f.c * float16_t(2));
    t.c = f.d + uint16_t(i);
    t.d = u8vec2(f.a, uint8_t(i));
    t.e = f.f * 0.5;
    t.f = f.g * int64_t(f.h) - int64_t(i);
}
