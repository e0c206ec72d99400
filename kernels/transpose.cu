/* transpose for CUDA, with the interface of shaders/transpose.comp.
 *
 * The shader's groups carry a tile of 32 x 32 each. Where the matrix is large, and the grid covers it, four of them, two by two, are done by the first of these,
 * which reads and writes 256 bytes of a row at once and has four times as much under way; the others end at once.
 * SPDX-License-Identifier: MIT
 */

#define SIDE 32
#define ROWS 8
#define LARGE 64
#define ENOUGH 4096 /* groups, from which on there are enough to fill the device with a fourth of them */

struct transpose_arguments {
    unsigned rows, columns;
};

/* A tile of EXTENT x EXTENT; a warp goes along rows of it. */
template <unsigned EXTENT>
static __device__ __forceinline__ void carry(const float *__restrict__ source, float *__restrict__ target,
                                             unsigned rows, unsigned columns, float (*tile)[LARGE + 1])
{
    const unsigned row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;

#pragma unroll
    for (unsigned y = threadIdx.y; y < EXTENT; y += ROWS)
#pragma unroll
        for (unsigned x = threadIdx.x; x < EXTENT; x += SIDE)
            if (row + y < rows && column + x < columns)
                tile[y][x] = __ldg(source + (size_t)(row + y) * columns + column + x);
    __syncthreads();
#pragma unroll
    for (unsigned y = threadIdx.y; y < EXTENT; y += ROWS)
#pragma unroll
        for (unsigned x = threadIdx.x; x < EXTENT; x += SIDE)
            if (column + y < columns && row + x < rows)
                target[(size_t)(column + y) * rows + row + x] = tile[x][y];
}

extern "C" __global__ void __launch_bounds__(SIDE *ROWS)
    transpose(const float *__restrict__ source, float *__restrict__ target,
              const struct transpose_arguments arguments)
{
    __shared__ float tile[LARGE][LARGE + 1];
    const bool is_whole = gridDim.x * SIDE >= arguments.columns && gridDim.y * SIDE >= arguments.rows;

    if (gridDim.x * gridDim.y < ENOUGH || !is_whole)
        carry<SIDE>(source, target, arguments.rows, arguments.columns, tile);
    else if (((blockIdx.x | blockIdx.y) & 1) == 0)
        carry<LARGE>(source, target, arguments.rows, arguments.columns, tile);
}
