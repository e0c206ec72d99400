// Push constants of 8, 16 and 64 bits.
//! push u8 200 i8 -100 i16 -30000 f16 1.5 u16 60000 i64 -5000000000 f64 0.125 u64 9000000000
//! out 0 i64 384
//! groups 1 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer C { int64_t c[]; };

layout(push_constant) uniform Push {
    uint8_t a;
    int8_t b;
    int16_t c;
    float16_t d;
    uint16_t e;
    int64_t f;
    double g;
    uint64_t h;
} push;

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 6u;
    c[o + 0u] = int64_t(push.a) + int64_t(push.b) * 1000L;
    c[o + 1u] = int64_t(push.c);
    c[o + 2u] = int64_t(push.d * float16_t(2));
    c[o + 3u] = int64_t(push.e) + int64_t(i);
    c[o + 4u] = push.f + int64_t(push.g * 16.0LF);
    c[o + 5u] = int64_t(push.h);
}
