#version 450
/* sgemm: C = alpha * A * B + beta * C, matrices of floats, row after row
 *
 *      c[i][j] = alpha * sum over l of a[i][l] * b[l][j] + beta * c[i][j]
 *
 * A group makes a tile of 64 x 64 of C, each of its 16 x 16 items 4 x 4 elements of it, from strips of
 * A and B of depth 16 that lie in shared memory. (V. Volkov and J. Demmel, "Benchmarking GPUs to tune
 * dense linear algebra", 2008.) An item's rows stand side by side, so that it reads four elements of
 * the strip of A at once, which its neighbours read as well; its columns are 16 apart, so that
 * neighbours read and write neighbours.
 *
 * Arguments
 *     a               m x k floats
 *     b               k x n floats
 *     c               m x n floats; with beta = 0 it is not read, as BLAS has it
 *     m               rows of A and C
 *     n               columns of B and C
 *     k               columns of A and rows of B
 *     alpha           the factor of the product
 *     beta            the factor of what C was
 * Launch
 *     ceil(n / 64) x ceil(m / 64) groups of 16 x 16 items
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(a), trm_arg_buffer(b), trm_arg_buffer(c),
 *                                        trm_arg_u32(m), trm_arg_u32(n), trm_arg_u32(k),
 *                                        trm_arg_f32(1), trm_arg_f32(0)};
 *     trm_kernel_named(device, "sgemm", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, (n + 63) / 64 * 16, (m + 63) / 64 * 16, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 8);
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 16, local_size_y = 16) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer A { float a[]; };
layout(std430, set = 0, binding = 1) readonly restrict buffer B { float b[]; };
layout(std430, set = 0, binding = 2) restrict buffer C { float c[]; };

layout(push_constant) uniform Parameters {
    uint m;
    uint n;
    uint k;
    float alpha;
    float beta;
};

const uint side = 64;  /* of the tile of C */
const uint depth = 16; /* of the strips */
const uint each = 4;   /* rows and columns of an item */
const uint apart = side / each;

/* Transposed, and each row a little longer than it need be: then writing down a column meets other banks. */
shared vec4 strip_a[depth][apart + 1];
shared float strip_b[depth][side];

void load_strips(uint row, uint column, uint begin)
{
    const uint x = gl_LocalInvocationID.x;
    const uint y = gl_LocalInvocationID.y;
    for (uint i = 0; i < each; i++) {
        uint from_row = row + y + i * apart;
        uint from_k = begin + x;
        uint at = y + i * apart;
        strip_a[x][at / each][at % each] = from_row < m && from_k < k ? a[from_row * k + from_k] : 0.0;
    }
    for (uint i = 0; i < each; i++) {
        uint from_k = begin + y;
        uint from_column = column + x + i * apart;
        strip_b[y][x + i * apart] = from_k < k && from_column < n ? b[from_k * n + from_column] : 0.0;
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
    const uint x = gl_LocalInvocationID.x;
    const uint y = gl_LocalInvocationID.y;
    const uint row = gl_WorkGroupID.y * side;
    const uint column = gl_WorkGroupID.x * side;

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
