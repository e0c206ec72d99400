#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* gemm_f16 for devices with cooperative matrices; gemm_f16.comp describes it, and has the same interface.
 *
 * Eight subgroups of 32 have 32 x 64 elements of C each: two by eight matrices of 16 x 8. Strips of A and B of depth 32
 * lie in shared memory, with B transposed, so that neighbours along k are neighbours in both. A row there is 80 bytes
 * apart from the next: eight rows are in 32 different banks.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer A { float16_t a[]; };
layout(std430, set = 0, binding = 1) readonly restrict buffer B { float16_t b[]; };
layout(std430, set = 0, binding = 2) restrict buffer C { float c[]; };

layout(push_constant) uniform Parameters {
    uint m;
    uint n;
    uint k;
    float alpha;
    float beta;
};

const uint tile = 128;
const uint depth = 32;
const uint apart = 40; /* from one row of a strip to the next */
const uint high = 2;   /* matrices of a subgroup */
const uint wide = 8;

shared uint16_t strip_a[tile * apart];
shared uint16_t strip_b[tile * apart];
shared float parts[8 * 16 * 8]; /* a matrix of each subgroup, at the edges of C */

void load_strips(uint row, uint column, uint begin)
{
    const uint me = gl_LocalInvocationIndex;
    [[unroll]] for (uint i = 0; i < tile * depth / 256; i++) {
        uint from_row = (me + i * 256) / depth, from_k = begin + me % depth;
        float16_t x = float16_t(0.0);
        if (row + from_row < m && from_k < k)
            x = a[(row + from_row) * k + from_k];
        strip_a[from_row * apart + me % depth] = float16BitsToUint16(x);
    }
    [[unroll]] for (uint i = 0; i < tile * depth / 256; i++) {
        uint from_k = (me + i * 256) / tile, from_column = me % tile;
        float16_t x = float16_t(0.0);
        if (begin + from_k < k && column + from_column < n)
            x = b[(begin + from_k) * n + column + from_column];
        strip_b[from_column * apart + from_k] = float16BitsToUint16(x);
    }
}

void main()
{
    const uint row = gl_WorkGroupID.y * tile, column = gl_WorkGroupID.x * tile;
    const uint down = gl_SubgroupID / 2 * 32, right = gl_SubgroupID % 2 * 64;
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 8> s[high * wide];

    [[unroll]] for (uint i = 0; i < high * wide; i++)
        s[i] = fcoopmatNV<32, gl_ScopeSubgroup, 16, 8>(0.0);
    for (uint begin = 0; begin < k; begin += depth) {
        load_strips(row, column, begin);
        barrier();
        [[unroll]] for (uint d = 0; d < depth; d += 16) {
            fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> x[high];
            [[unroll]] for (uint i = 0; i < high; i++)
                coopMatLoadNV(x[i], strip_a, (down + i * 16) * apart + d, apart, false);
            [[unroll]] for (uint j = 0; j < wide; j++) {
                fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> y;
                coopMatLoadNV(y, strip_b, (right + j * 8) * apart + d, apart, true);
                [[unroll]] for (uint i = 0; i < high; i++)
                    s[i * wide + j] = coopMatMulAddNV(x[i], y, s[i * wide + j]);
            }
        }
        barrier();
    }

    if (row + tile <= m && column + tile <= n && beta == 0.0) {
        [[unroll]] for (uint i = 0; i < high; i++)
            [[unroll]] for (uint j = 0; j < wide; j++)
                coopMatStoreNV(s[i * wide + j] * alpha, c, (row + down + i * 16) * n + column + right + j * 8, n, false);
        return;
    }
    [[unroll]] for (uint i = 0; i < high * wide; i++) {
        const uint at = gl_SubgroupID * 128;
        coopMatStoreNV(s[i], parts, at, 8, false);
        barrier();
        [[unroll]] for (uint e = gl_SubgroupInvocationID; e < 128; e += 32) {
            uint to_row = row + down + i / wide * 16 + e / 8, to_column = column + right + i % wide * 8 + e % 8;
            if (to_row < m && to_column < n) {
                uint to = to_row * n + to_column;
                c[to] = beta == 0.0 ? alpha * parts[at + e] : fma(alpha, parts[at + e], beta * c[to]);
            }
        }
        barrier();
    }
}
