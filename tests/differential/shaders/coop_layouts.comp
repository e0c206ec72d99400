/* Matrices by rows and by columns, with strides of their own, in buffers of vectors and in a struct. A row begins at a
 * multiple of 16 bytes, which Vulkan demands of rows that are longer. */
//! in 0 f16 640
//! in 1 4u32 64
//! in 2 f32 520
//! out 3 f32 512 abs 1e-4
//! groups 1 1 1
//! twin coop_layouts.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };  /* by columns, 40 apart */
layout(std430, binding = 1) readonly buffer B { uvec4 b[]; };      /* 16 halves are two vectors */
layout(std430, binding = 2) readonly buffer C { float before[8]; float c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x, y;
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> s;

    coopMatLoadNV(x, a, 0, 40, true);
    coopMatLoadNV(s, c, 4, 20, false);
    y = x;
    s = coopMatMulAddNV(x, y, s);
    coopMatStoreNV(s, d, 0, 16, true);
    coopMatLoadNV(y, b, 0, 2, false);
    for (int i = 0; i < y.length(); i++)
        y[i] = isnan(y[i]) || isinf(y[i]) ? float16_t(1.0) : clamp(y[i], float16_t(-1.0), float16_t(1.0));
    s = coopMatMulAddNV(x, y, fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0));
    coopMatStoreNV(s, d, 256, 16, false);
}
