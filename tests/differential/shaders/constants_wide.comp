// Specialization constants of other widths, and what is made of them.
//! constant 0 i64 -5000000000
//! constant 1 f64 0.375
//! constant 2 u16 40000
//! constant 3 i8 -5
//! out 0 i64 320
//! groups 1 1 1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const int64_t a = 1L;
layout(constant_id = 1) const double b = 1.0LF;
layout(constant_id = 2) const uint16_t d = 1us;
layout(constant_id = 3) const int8_t e = int8_t(1);
layout(std430, binding = 0) writeonly buffer C { int64_t c[]; };

const int64_t made = a * 2L - 7L;

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 5u;
    c[o + 0u] = a + int64_t(i);
    c[o + 1u] = int64_t(b * 1000.0LF);
    c[o + 2u] = int64_t(d + uint16_t(i));
    c[o + 3u] = int64_t(e - int8_t(i & 7u));
    c[o + 4u] = made / 3L;
}
