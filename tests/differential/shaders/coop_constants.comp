/* Sizes that specialisation constants give, and functions that take and return matrices. */
//! in 0 f16 256
//! in 1 f16 512
//! out 2 f32 512 abs 1e-4
//! out 3 u32 32
//! constant 0 i32 8
//! constant 1 i32 32
//! groups 1 1 1
//! twin coop_constants.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const int M = 16;
layout(constant_id = 1) const int N = 16;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { uint lengths[]; };

fcoopmatNV<32, gl_ScopeSubgroup, M, N> product(fcoopmatNV<16, gl_ScopeSubgroup, M, 16> x,
                                               fcoopmatNV<16, gl_ScopeSubgroup, 16, N> y,
                                               fcoopmatNV<32, gl_ScopeSubgroup, M, N> s, bool twice)
{
    s = coopMatMulAddNV(x, y, s);
    if (!twice)
        return s;
    return coopMatMulAddNV(x, y, s);
}

void main()
{
    fcoopmatNV<16, gl_ScopeSubgroup, M, 16> x;
    fcoopmatNV<16, gl_ScopeSubgroup, 16, N> y;
    fcoopmatNV<32, gl_ScopeSubgroup, M, N> s = fcoopmatNV<32, gl_ScopeSubgroup, M, N>(1.0);

    coopMatLoadNV(x, a, 0, 16, false);
    coopMatLoadNV(y, b, 0, N, false);
    s = product(x, y, s, gl_WorkGroupID.x == 0u);
    coopMatStoreNV(product(x, y, s, gl_WorkGroupID.x == 1u), c, 0, N, false);
    lengths[gl_LocalInvocationID.x] = uint(s.length() > 0 || gl_LocalInvocationID.x > 0u);
}
