#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
/* gemm_f16: C = alpha * A * B + beta * C, A and B of halves, C and the sums of floats, row after row
 *
 *      c[i][j] = alpha * sum over l of a[i][l] * b[l][j] + beta * c[i][j]
 *
 * Products of halves are exact in a float; the sums are rounded as floats. A device with cooperative
 * matrices (VK_NV_cooperative_matrix; CUDA) multiplies with its tensor cores, others as sgemm does.
 * A group makes 128 x 128 elements of C in either case.
 *
 * Arguments
 *     a               m x k halves
 *     b               k x n halves
 *     c               m x n floats; with beta = 0 it is not read, as BLAS has it
 *     m               rows of A and C
 *     n               columns of B and C
 *     k               columns of A and rows of B
 *     alpha           the factor of the product
 *     beta            the factor of what C was
 * Launch
 *     ceil(n / 128) x ceil(m / 128) groups of 256 items
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(a), trm_arg_buffer(b), trm_arg_buffer(c),
 *                                        trm_arg_u32(m), trm_arg_u32(n), trm_arg_u32(k),
 *                                        trm_arg_f32(1), trm_arg_f32(0)};
 *     trm_kernel_named(device, "gemm_f16", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, (n + 127) / 128 * 256, (m + 127) / 128, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 8);
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

const uint tile = 128; /* of C, in four parts that are made one after the other */
const uint side = 64;
const uint depth = 16; /* of the strips */
const uint each = 4;   /* rows and columns of an item */
const uint apart = side / each;

/* Transposed, and each row a little longer than it need be: then writing down a column meets other banks. */
shared vec4 strip_a[depth][apart + 1];
shared float strip_b[depth][side];

void load_strips(uint row, uint column, uint begin)
{
    const uint x = gl_LocalInvocationID.x % apart;
    const uint y = gl_LocalInvocationID.x / apart;
    for (uint i = 0; i < each; i++) {
        uint from_row = row + y + i * apart;
        uint from_k = begin + x;
        uint at = y + i * apart;
        strip_a[x][at / each][at % each] = from_row < m && from_k < k ? float(a[from_row * k + from_k]) : 0.0;
    }
    for (uint i = 0; i < each; i++) {
        uint from_k = begin + y;
        uint from_column = column + x + i * apart;
        strip_b[y][x + i * apart] = from_k < k && from_column < n ? float(b[from_k * n + from_column]) : 0.0;
    }
}

void store(uint row, uint column, float product)
{
    if (row < m && column < n) {
        uint at = row * n + column;
        c[at] = beta == 0.0 ? alpha * product : fma(alpha, product, beta * c[at]);
    }
}

void store_row(uint row, uint column, vec4 products)
{
    store(row, column, products.x);
    store(row, column + apart, products.y);
    store(row, column + 2 * apart, products.z);
    store(row, column + 3 * apart, products.w);
}

void main()
{
    const uint x = gl_LocalInvocationID.x % apart;
    const uint y = gl_LocalInvocationID.x / apart;

    for (uint part = 0; part < 4; part++) {
        const uint row = gl_WorkGroupID.y * tile + part / 2 * side;
        const uint column = gl_WorkGroupID.x * tile + part % 2 * side;
        vec4 row0 = vec4(0.0), row1 = vec4(0.0), row2 = vec4(0.0), row3 = vec4(0.0);
        for (uint begin = 0; begin < k; begin += depth) {
            load_strips(row, column, begin);
            barrier();
            for (uint d = 0; d < depth; d++) {
                vec4 left = strip_a[d][y];
                vec4 right = vec4(strip_b[d][x], strip_b[d][x + apart], strip_b[d][x + 2 * apart],
                                  strip_b[d][x + 3 * apart]);
                row0 = fma(vec4(left.x), right, row0);
                row1 = fma(vec4(left.y), right, row1);
                row2 = fma(vec4(left.z), right, row2);
                row3 = fma(vec4(left.w), right, row3);
            }
            barrier();
        }
        store_row(row + y * each, column + x, row0);
        store_row(row + y * each + 1, column + x, row1);
        store_row(row + y * each + 2, column + x, row2);
        store_row(row + y * each + 3, column + x, row3);
    }
}
