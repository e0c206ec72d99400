/* Products of 16 by 16 halves, a group for each, accumulated in floats. */
//! in 0 f16 1024
//! in 1 f16 1024
//! in 2 f32 1024
//! out 3 f32 1024 abs 1e-4
//! groups 4 1 1
//! twin coop_product.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) readonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };

void main()
{
    uint at = gl_WorkGroupID.x * 256u;
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x, y;
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> s;

    coopMatLoadNV(x, a, at, 16, false);
    coopMatLoadNV(y, b, at, 16, false);
    coopMatLoadNV(s, c, at, 16, false);
    s = coopMatMulAddNV(x, y, s);
    coopMatStoreNV(s, d, at, 16, false);
}
