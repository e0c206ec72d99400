/* transpose for CUDA, with the interface of shaders/transpose.comp.
 *
 * A block transposes a tile of 64 x 64, four tiles of the shader: the last line of this file requests a
 * fourth of the groups. An item reads and writes sixteen bytes at once, four times: it transposes 4 x 4
 * elements in registers and writes them transposed to shared memory. Units of sixteen bytes are permuted
 * there, so that the units that eight items write at once are on different banks. Tiles are numbered down the
 * columns, so that blocks write close together.
 *
 * Each block continues with the tile whose number is higher by the number of blocks, so any grid works; the
 * grid of the shader gives each block about one tile.
 * SPDX-License-Identifier: MIT
 */

#define SIDE 64
#define UNIT 4              /* elements that are read at once */
#define UNITS (SIDE / UNIT) /* in a row of a tile */
#define ITEMS 256
#define LANES 32
#define WARPS (ITEMS / LANES)
#define AT_ONCE 4 /* rows of a warp */

struct transpose_arguments {
    unsigned rows, columns;
};

struct matrices {
    const float *__restrict__ source;
    float *__restrict__ target;
    unsigned rows, columns; /* of the source */
};

/* Where unit `column` of a row of the turned tile is. */
static __device__ __forceinline__ unsigned place_of(unsigned row, unsigned column)
{
    return row * UNITS + (column ^ (row / UNIT & 7));
}

/* Rows and columns are multiples of UNIT, and both matrices begin at a multiple of sixteen bytes. */
static __device__ __forceinline__ void carry_units(const struct matrices &given, float4 *tile, unsigned row,
                                                   unsigned column, unsigned item)
{
    const unsigned x = item % UNITS, y = item / UNITS;
    float4 own[UNIT];

    if (column + x * UNIT < given.columns && row + y * UNIT < given.rows) {
        const float *from = given.source + (size_t)(row + y * UNIT) * given.columns + column + x * UNIT;
#pragma unroll
        for (unsigned i = 0; i < UNIT; i++)
            own[i] = __ldg((const float4 *)(from + (size_t)i * given.columns));
        tile[place_of(x * UNIT, y)]     = make_float4(own[0].x, own[1].x, own[2].x, own[3].x);
        tile[place_of(x * UNIT + 1, y)] = make_float4(own[0].y, own[1].y, own[2].y, own[3].y);
        tile[place_of(x * UNIT + 2, y)] = make_float4(own[0].z, own[1].z, own[2].z, own[3].z);
        tile[place_of(x * UNIT + 3, y)] = make_float4(own[0].w, own[1].w, own[2].w, own[3].w);
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < SIDE; i += ITEMS / UNITS)
        if (column + y + i < given.columns && row + x * UNIT < given.rows)
            *(float4 *)(given.target + (size_t)(column + y + i) * given.rows + row + x * UNIT) =
                tile[place_of(y + i, x)];
}

/* Any matrices. A warp goes along rows. */
static __device__ __forceinline__ void carry_elements(const struct matrices &given, float (*tile)[SIDE + 1],
                                                      unsigned row, unsigned column, unsigned item)
{
    const unsigned lane = item % LANES, warp = item / LANES;

#pragma unroll 1
    for (unsigned begin = warp; begin < SIDE; begin += WARPS * AT_ONCE) {
        float own[AT_ONCE][SIDE / LANES];
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE * SIDE / LANES; i++) {
            const unsigned y = row + begin + i / 2 * WARPS, x = column + i % 2 * LANES + lane;
            own[i / 2][i % 2] = y < given.rows && x < given.columns
                                    ? __ldg(given.source + (size_t)y * given.columns + x)
                                    : 0.0f;
        }
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE * SIDE / LANES; i++)
            tile[begin + i / 2 * WARPS][i % 2 * LANES + lane] = own[i / 2][i % 2];
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned y = warp; y < SIDE; y += WARPS)
#pragma unroll
        for (unsigned x = lane; x < SIDE; x += LANES)
            if (column + y < given.columns && row + x < given.rows)
                given.target[(size_t)(column + y) * given.rows + row + x] = tile[x][y];
}

static __device__ __forceinline__ unsigned tiles_of(unsigned extent)
{
    return extent / SIDE + (extent % SIDE != 0);
}

/* Its tiles, by one of the two. */
template <bool IS_ALIGNED>
static __device__ __forceinline__ void carry_all(const struct matrices &given, float4 *shared)
{
    const unsigned item = threadIdx.y * LANES + threadIdx.x, high = tiles_of(given.rows);
    const unsigned tiles = high * tiles_of(given.columns);
    const size_t blocks  = (size_t)gridDim.x * gridDim.y;

    for (size_t tile = (size_t)blockIdx.y * gridDim.x + blockIdx.x; tile < tiles; tile += blocks) {
        const unsigned row = (unsigned)tile % high * SIDE, column = (unsigned)tile / high * SIDE;
        if (IS_ALIGNED)
            carry_units(given, shared, row, column, item);
        else
            carry_elements(given, (float(*)[SIDE + 1]) shared, row, column, item);
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(ITEMS)
    transpose(const float *__restrict__ source, float *__restrict__ target,
              const struct transpose_arguments arguments, unsigned)
{
    __shared__ float4 shared[SIDE * (SIDE + 1) / UNIT];
    const struct matrices given = {source, target, arguments.rows, arguments.columns};

    if ((given.rows | given.columns) % UNIT == 0 && ((size_t)source | (size_t)target) % sizeof(float4) == 0)
        carry_all<true>(given, shared);
    else
        carry_all<false>(given, shared);
}

// trireme by-hand transpose*4
