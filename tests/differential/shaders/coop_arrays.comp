/* Arrays of matrices: a subgroup has two by two tiles of the result, indexed by loops. */
//! in 0 f16 1024
//! in 1 f16 1024
//! out 2 f32 1024 abs 1e-4
//! groups 1 1 1
//! twin coop_arrays.comp
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

void main()
{
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> s[2][2];

    for (uint i = 0; i < 2; i++)
        for (uint j = 0; j < 2; j++)
            s[i][j] = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(float(i) - float(j));
    for (uint k = 0; k < 32; k += 16) {
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x[2], y[2];
        for (uint i = 0; i < 2; i++) {
            coopMatLoadNV(x[i], a, i * 512u + k, 32, false);
            coopMatLoadNV(y[i], b, k * 32u + i * 16u, 32, false);
        }
        for (uint i = 0; i < 2; i++)
            for (uint j = 0; j < 2; j++)
                s[i][j] = coopMatMulAddNV(x[i], y[j], s[i][j]);
    }
    for (uint i = 0; i < 2; i++)
        for (uint j = 0; j < 2; j++)
            coopMatStoreNV(s[i][j], c, i * 512u + j * 16u, 32, false);
}
