/* Products of signed and of unsigned bytes, accumulated in integers of 32 bits, which wrap around. */
//! in 0 i8 512
//! in 1 i8 512
//! in 2 u8 512
//! in 3 u8 512
//! in 4 i32 256
//! out 5 i32 256
//! out 6 u32 256
//! out 7 i32 128
//! groups 1 1 1
//! twin coop_integers.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { int8_t a[]; };
layout(std430, binding = 1) readonly buffer B { int8_t b[]; };
layout(std430, binding = 2) readonly buffer C { uint8_t c[]; };
layout(std430, binding = 3) readonly buffer D { uint8_t d[]; };
layout(std430, binding = 4) readonly buffer E { int e[]; };
layout(std430, binding = 5) writeonly buffer F { int f[]; };
layout(std430, binding = 6) writeonly buffer G { uint g[]; };
layout(std430, binding = 7) writeonly buffer H { int h[]; };

void main()
{
    icoopmatNV<8, gl_ScopeSubgroup, 16, 32> x;
    icoopmatNV<8, gl_ScopeSubgroup, 32, 16> y;
    icoopmatNV<32, gl_ScopeSubgroup, 16, 16> s;
    ucoopmatNV<8, gl_ScopeSubgroup, 16, 32> u;
    ucoopmatNV<8, gl_ScopeSubgroup, 32, 16> v;
    ucoopmatNV<32, gl_ScopeSubgroup, 16, 16> t = ucoopmatNV<32, gl_ScopeSubgroup, 16, 16>(4294967000u);
    icoopmatNV<8, gl_ScopeSubgroup, 16, 16> p;
    icoopmatNV<8, gl_ScopeSubgroup, 16, 8> q;
    icoopmatNV<32, gl_ScopeSubgroup, 16, 8> r = icoopmatNV<32, gl_ScopeSubgroup, 16, 8>(-7);

    coopMatLoadNV(x, a, 0, 32, false);
    coopMatLoadNV(y, b, 0, 32, true);
    coopMatLoadNV(s, e, 0, 16, false);
    coopMatStoreNV(coopMatMulAddNV(x, y, s), f, 0, 16, false);
    coopMatLoadNV(u, c, 0, 32, false);
    coopMatLoadNV(v, d, 0, 16, false);
    coopMatStoreNV(coopMatMulAddNV(u, v, t), g, 0, 16, false);
    coopMatLoadNV(p, a, 256, 16, false);
    coopMatLoadNV(q, b, 256, 8, false);
    coopMatStoreNV(coopMatMulAddNV(p, q, r), h, 0, 8, false);
}
