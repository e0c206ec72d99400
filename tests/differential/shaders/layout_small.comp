// 8 and 16 bits in structs of buffers, with arithmetic in 32.
//! in 0 u8,i8,u16,2f16,4u8,i16,2pad 128
//! out 1 i32 1024
//! inout 2 u8 128
//! inout 3 u16 128
//! inout 4 f16 128
//! groups 2 1 1
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;

struct small {
    uint8_t a;
    int8_t b;
    uint16_t c;
    f16vec2 d;
    u8vec4 e;
    int16_t f;
};

layout(std430, binding = 0) readonly buffer A { small a[]; };
layout(std430, binding = 1) writeonly buffer B { int b[]; };
layout(std430, binding = 2) buffer C { uint8_t c[]; };
layout(std430, binding = 3) buffer D { uint16_t d[]; };
layout(std430, binding = 4) buffer E { float16_t e[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 8u;
    b[o + 0u] = int(a[i].a);
    b[o + 1u] = int(a[i].b);
    b[o + 2u] = int(a[i].c);
    b[o + 3u] = int(vec2(a[i].d).x * 64.0);
    b[o + 4u] = int(uvec4(a[i].e).y + uvec4(a[i].e).w * 256u);
    b[o + 5u] = int(a[i].f);
    b[o + 6u] = int(a[i].a) - int(a[i].b) * int(a[i].f);
    b[o + 7u] = int(uint(a[i].e.z));
    c[i] = uint8_t(uint(c[i]) + 3u);
    d[i] = uint16_t(uint(d[i]) * 5u);
    e[i] = float16_t(float(e[i]) * 0.5);
}
