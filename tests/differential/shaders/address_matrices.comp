// Matrices by columns and by rows, nested structs with their own offsets, and whole structs, through a pointer.
//! in 20 64f32 8 range -2 2
//! out 21 48f32 8 ulp 8 abs 1e-5
//! push u64 0 0
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
struct Inner {
    vec3 direction;
    float extent;
    mat2 turn;
};
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer In { mat3 columns; vec4 v; Inner inner[2]; float rest[32]; };
layout(buffer_reference, std430, row_major, buffer_reference_align = 16) buffer Out { mat3 rows; mat2x4 wide; Inner inner; vec3 a; float b; vec4 c[2]; };
layout(push_constant) uniform Push { In from; Out to; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    In f = In(uint64_t(from) + i * 256u);
    Out t = Out(uint64_t(to) + i * 192u);
    t.rows = transpose(f.columns) * 2.0;
    t.rows[i % 3u][1] = f.columns[2][i % 3u];
    t.wide[0] = f.v;
    t.wide[1] = f.v.wzyx * f.inner[1].extent;
    Inner inner = f.inner[i & 1u];
    inner.turn = inner.turn * f.inner[0].turn;
    t.inner = inner;
    t.a = f.columns * f.inner[0].direction;
    t.b = f.rest[i * 4u];
    t.c[0] = vec4(f.rest[1], f.rest[2], f.rest[3], 1.0);
    t.c[1] = f.v * 0.5;
}
