/* Accumulates in place, once for each subgroup, in a loop that one of them leaves early. */
//! in 0 f16 512
//! in 1 f16 256
//! inout 2 f32 512 abs 1e-3
//! groups 1 1 1
//! twin coop_in_place.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) buffer C { float c[]; };

void main()
{
    uint at = gl_SubgroupID * 256u;
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x, y;

    coopMatLoadNV(x, a, at, 16, false);
    coopMatLoadNV(y, b, 0, 16, false);
    for (uint round = 0; round < 3u; round++) {
        fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> s;
        if (gl_SubgroupID == 1u && round == 1u)
            break;
        coopMatLoadNV(s, c, at, 16, false);
        s = coopMatMulAddNV(x, y, s);
        coopMatStoreNV(s, c, at, 16, false);
    }
}
