/* Four subgroups of a group: each has tiles of a product whose parts pass through shared memory, once as halves and once as words. */
//! in 0 f16 4096
//! in 1 f16 4096
//! out 2 f32 1024 abs 1e-3
//! groups 1 1 1
//! twin coop_shared.comp
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64, local_size_y = 2) in;
layout(std430, binding = 0) readonly buffer A { float16_t a[]; }; /* 32 by 128 */
layout(std430, binding = 1) readonly buffer B { float16_t b[]; }; /* 128 by 32 */
layout(std430, binding = 2) writeonly buffer C { float c[]; };

shared float16_t part_a[32 * 24]; /* 32 by 16, with some room behind each row */
shared uint part_b[16 * 16];      /* 16 by 32 halves */

void main()
{
    uint me = gl_LocalInvocationIndex, row = gl_SubgroupID / 2u * 16u, column = gl_SubgroupID % 2u * 16u;
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> s = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);

    for (uint k = 0; k < 128u; k += 16u) {
        for (uint i = me; i < 512u; i += 128u)
            part_a[i / 16u * 24u + i % 16u] = a[i / 16u * 128u + k + i % 16u];
        for (uint i = me; i < 256u; i += 128u) {
            uint at   = (k + i / 16u) * 32u + i % 16u * 2u;
            part_b[i] = packFloat2x16(f16vec2(b[at], b[at + 1u]));
        }
        barrier();
        fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x, y;
        coopMatLoadNV(x, part_a, row * 24u, 24, false);
        coopMatLoadNV(y, part_b, column / 2u, 16, false);
        s = coopMatMulAddNV(x, y, s);
        barrier();
    }
    coopMatStoreNV(s, c, row * 32u + column, 32, false);
}
