/* What is done element by element: arithmetic, scaling, conversions, and elements by their number. */
//! in 0 f16 256 range -4 4
//! in 1 f32 256 range -4 4
//! in 2 i32 256 range -1000 1000
//! out 3 f32 256
//! out 4 f16 256
//! out 5 i32 256
//! out 6 i32 256
//! out 7 f32 256
//! inout 8 u32 1 index 0 1
//! groups 1 1 1
//! twin coop_elements.comp
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
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) readonly buffer C { int c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };
layout(std430, binding = 4) writeonly buffer E { float16_t e[]; };
layout(std430, binding = 5) writeonly buffer F { int f[]; };
layout(std430, binding = 6) writeonly buffer G { int g[]; };
layout(std430, binding = 7) writeonly buffer H { float h[]; };
layout(std430, binding = 8) buffer Counts { uint positive; };

void main()
{
    fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x;
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> y, z;
    icoopmatNV<32, gl_ScopeSubgroup, 16, 16> p, q;

    coopMatLoadNV(x, a, 0, 16, false);
    coopMatLoadNV(y, b, 0, 16, false);
    coopMatLoadNV(p, c, 0, 16, false);
    z = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(x) * 2.0 - y;
    z = -(z + fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.25));
    coopMatStoreNV(z, d, 0, 16, false);
    for (int i = 0; i < x.length(); i++) {
        x[i] = max(x[i] * float16_t(0.5), float16_t(-1.0));
        if (y[i] > 0.0)
            atomicAdd(positive, 1u);
    }
    coopMatStoreNV(x + fcoopmatNV<16, gl_ScopeSubgroup, 16, 16>(y), e, 0, 16, false);
    q = p / icoopmatNV<32, gl_ScopeSubgroup, 16, 16>(7) + p * 3 - icoopmatNV<32, gl_ScopeSubgroup, 16, 16>(5);
    coopMatStoreNV(-q, f, 0, 16, false);
    coopMatStoreNV(icoopmatNV<32, gl_ScopeSubgroup, 16, 16>(y), g, 0, 16, false);
    y = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(p);
    for (int i = 0; i < y.length(); i++)
        y[i] = y[i] < 0.0 ? y[i] * 0.125 : y[i];
    coopMatStoreNV(y, h, 0, 16, false);
}
