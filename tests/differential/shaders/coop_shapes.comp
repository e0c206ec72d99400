/* Shapes other than 16 by 16 by 16: 16x8x16, 16x8x8, 8x32x16 and 32x8x16; halves as accumulators. */
//! in 0 f16 512
//! in 1 f16 512
//! out 2 f32 640 abs 1e-4
//! out 3 f16 256 abs 1e-2
//! groups 1 1 1
//! twin coop_shapes.comp
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
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std430, binding = 3) writeonly buffer D { float16_t d[]; };

#define PRODUCT(type, bits, M, N, K, to, at)                                                                    \
    {                                                                                                           \
        fcoopmatNV<16, gl_ScopeSubgroup, M, K> x;                                                               \
        fcoopmatNV<16, gl_ScopeSubgroup, K, N> y;                                                               \
        fcoopmatNV<bits, gl_ScopeSubgroup, M, N> s = fcoopmatNV<bits, gl_ScopeSubgroup, M, N>(type(0.5));       \
        coopMatLoadNV(x, a, 0, K, false);                                                                       \
        coopMatLoadNV(y, b, 0, N, false);                                                                       \
        s = coopMatMulAddNV(x, y, s);                                                                           \
        coopMatStoreNV(s, to, at, N, false);                                                                    \
    }

void main()
{
    PRODUCT(float, 32, 16, 8, 16, c, 0)
    PRODUCT(float, 32, 16, 8, 8, c, 128)
    PRODUCT(float, 32, 8, 32, 16, c, 256)
    PRODUCT(float, 32, 32, 8, 16, c, 384)
    PRODUCT(float16_t, 16, 16, 16, 16, d, 0)
}
