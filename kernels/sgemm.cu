/* sgemm for CUDA: C = alpha * A * B + beta * C, with the interface of shaders/sgemm.comp.
 *
 * The shader's groups have 256 items and compute 64 x 64 elements of C, which is 16 an item: too few to keep
 * the multipliers busy, because an item then reads half an operand for each product. So if there are enough
 * groups to fill the device, the first of each two by two groups computes all four tiles, 8 x 8 elements an
 * item, and the others end at once; otherwise each group computes its own tile. (V. Volkov and J. Demmel,
 * "Benchmarking GPUs to tune dense linear algebra", 2008; A. Kerr and others, "CUTLASS: fast linear algebra
 * in CUDA C++", 2017, for how a warp's items divide its part of the tile.)
 *
 * Strips of A and B of depth 16 lie in shared memory twice: while one pair is multiplied, the next one is
 * loaded through registers. Elements outside of the matrices are zero there.
 * SPDX-License-Identifier: MIT
 */

#define ITEMS 256
#define DEPTH 16
#define UNIT 4 /* elements that are read at once */

struct sgemm_arguments {
    unsigned m, n, k;
    float alpha, beta;
};

struct matrices {
    const float *__restrict__ a;
    const float *__restrict__ b;
    float *__restrict__ c;
    unsigned m, n, k; /* rows and columns that this launch makes; k of A and B */
    unsigned stride;  /* of B and C */
    float alpha, beta;
};

static __device__ __forceinline__ float4 zeros()
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* Four elements of a row; those from `end` on are zero. With IS_ALIGNED a unit is inside or outside as a
 * whole. */
template <bool IS_ALIGNED>
static __device__ __forceinline__ float4 load(const float *__restrict__ row, bool is_row, unsigned column,
                                              unsigned end)
{
    if (IS_ALIGNED)
        return is_row && column < end ? __ldg((const float4 *)(row + column)) : zeros();
    float4 unit = zeros();
    if (is_row && column < end)
        unit.x = __ldg(row + column);
    if (is_row && column + 1 < end)
        unit.y = __ldg(row + column + 1);
    if (is_row && column + 2 < end)
        unit.z = __ldg(row + column + 2);
    if (is_row && column + 3 < end)
        unit.w = __ldg(row + column + 3);
    return unit;
}

template <bool IS_ALIGNED>
static __device__ __forceinline__ void store(const struct matrices &given, unsigned row, unsigned column,
                                             const float *products)
{
    if (row >= given.m || column >= given.n)
        return;
    float *at = given.c + (size_t)row * given.stride + column;
    if constexpr (IS_ALIGNED) {
        float4 result = make_float4(given.alpha * products[0], given.alpha * products[1],
                                    given.alpha * products[2], given.alpha * products[3]);
        if (given.beta != 0.0f) {
            const float4 old = *(const float4 *)at;
            result.x         = fmaf(given.alpha, products[0], given.beta * old.x);
            result.y         = fmaf(given.alpha, products[1], given.beta * old.y);
            result.z         = fmaf(given.alpha, products[2], given.beta * old.z);
            result.w         = fmaf(given.alpha, products[3], given.beta * old.w);
        }
        *(float4 *)at = result;
    } else {
#pragma unroll
        for (unsigned i = 0; i < UNIT; i++)
            if (column + i < given.n)
                at[i] = given.beta == 0.0f ? given.alpha * products[i]
                                           : fmaf(given.alpha, products[i], given.beta * at[i]);
    }
}

/* A tile of PARTS * 64 in both directions, whose first element is at (row, column). Items have PARTS x PARTS
 * pieces of 4 x 4, which stand apart so that what a warp reads at once lies side by side. */
template <int PARTS, bool IS_ALIGNED>
static __device__ __forceinline__ void make_tile(const struct matrices &given, unsigned row, unsigned column,
                                                 float *memory)
{
    constexpr unsigned SIDE = PARTS * 64;
    constexpr unsigned ROW =
        SIDE + UNIT; /* of the strip of A, which lies transposed: writing down a column meets other banks */
    constexpr unsigned LOADS  = SIDE * DEPTH / UNIT / ITEMS;
    constexpr unsigned A_SIZE = DEPTH * ROW, B_SIZE = DEPTH * SIDE;

    const unsigned item = threadIdx.y * 16 + threadIdx.x, lane = item % 32, warp = item / 32;
    /* Eight warps, four below each other and two side by side; a warp's items are 4 x 8. */
    const unsigned warp_row = warp / 2 * (SIDE / 4), warp_column = warp % 2 * (SIDE / 2);
    const unsigned own_row = warp_row + lane / 8 * UNIT, own_column = warp_column + lane % 8 * UNIT;
    constexpr unsigned APART_ROWS = 16, APART_COLUMNS = 32;

    float *strip_a = memory, *strip_b = memory + 2 * A_SIZE;
    float sums[PARTS][UNIT][PARTS][UNIT] = {};
    float4 next_a[LOADS], next_b[LOADS];

    /* Where this item's units of the strips come from: those of A are DEPTH / UNIT to a row, those of B SIDE
     * / UNIT. */
    const unsigned a_row = item / (DEPTH / UNIT), a_column = item % (DEPTH / UNIT) * UNIT;
    const unsigned b_row = item / (SIDE / UNIT), b_column = item % (SIDE / UNIT) * UNIT;
    constexpr unsigned A_STEP = ITEMS / (DEPTH / UNIT), B_STEP = ITEMS / (SIDE / UNIT);

    auto fetch = [&](unsigned begin) {
#pragma unroll
        for (unsigned i = 0; i < LOADS; i++) {
            const unsigned from = row + a_row + i * A_STEP;
            next_a[i] =
                load<IS_ALIGNED>(given.a + (size_t)from * given.k, from < given.m, begin + a_column, given.k);
        }
#pragma unroll
        for (unsigned i = 0; i < LOADS; i++) {
            const unsigned from = begin + b_row + i * B_STEP;
            next_b[i]           = load<IS_ALIGNED>(given.b + (size_t)from * given.stride, from < given.k,
                                         column + b_column, given.n);
        }
    };
    auto put = [&](unsigned buffer) {
#pragma unroll
        for (unsigned i = 0; i < LOADS; i++) {
            float *to   = strip_a + buffer * A_SIZE + a_column * ROW + a_row + i * A_STEP;
            to[0]       = next_a[i].x;
            to[ROW]     = next_a[i].y;
            to[2 * ROW] = next_a[i].z;
            to[3 * ROW] = next_a[i].w;
        }
#pragma unroll
        for (unsigned i = 0; i < LOADS; i++)
            *(float4 *)(strip_b + buffer * B_SIZE + (b_row + i * B_STEP) * SIDE + b_column) = next_b[i];
    };

    fetch(0);
    put(0);
    __syncthreads();
    for (unsigned begin = 0, buffer = 0; begin < given.k; begin += DEPTH, buffer ^= 1) {
        const bool is_last = given.k - begin <= DEPTH;
        if (!is_last)
            fetch(begin + DEPTH);
        const float *from_a = strip_a + buffer * A_SIZE + own_row;
        const float *from_b = strip_b + buffer * B_SIZE + own_column;
#pragma unroll
        for (unsigned d = 0; d < DEPTH; d++) {
            float left[PARTS][UNIT], right[PARTS][UNIT];
#pragma unroll
            for (unsigned part = 0; part < PARTS; part++) {
                *(float4 *)left[part]  = *(const float4 *)(from_a + d * ROW + part * APART_ROWS);
                *(float4 *)right[part] = *(const float4 *)(from_b + d * SIDE + part * APART_COLUMNS);
            }
#pragma unroll
            for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
                for (unsigned i = 0; i < UNIT; i++)
#pragma unroll
                    for (unsigned q = 0; q < PARTS; q++)
#pragma unroll
                        for (unsigned j = 0; j < UNIT; j++)
                            sums[p][i][q][j] = fmaf(left[p][i], right[q][j], sums[p][i][q][j]);
        }
        if (is_last)
            break;
        put(buffer ^ 1);
        __syncthreads();
    }

#pragma unroll
    for (unsigned p = 0; p < PARTS; p++)
#pragma unroll
        for (unsigned i = 0; i < UNIT; i++)
#pragma unroll
            for (unsigned q = 0; q < PARTS; q++)
                store<IS_ALIGNED>(given, row + own_row + p * APART_ROWS + i,
                                  column + own_column + q * APART_COLUMNS, sums[p][i][q]);
}

static __device__ __forceinline__ bool is_aligned(const void *pointer)
{
    return (size_t)pointer % (UNIT * sizeof(float)) == 0;
}

static __device__ __forceinline__ unsigned count_of_units()
{
    unsigned count;
    asm("mov.u32 %0, %%nsmid;" : "=r"(count));
    return count;
}

extern "C" __global__ void __launch_bounds__(ITEMS, 2)
    sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
          const struct sgemm_arguments arguments)
{
    __shared__ __align__(16) float memory[2 * DEPTH * (128 + UNIT) + 2 * DEPTH * 128];

    /* A grid that does not cover C leaves the rest as it is. */
    const unsigned m = min(arguments.m, gridDim.y * 64), n = min(arguments.n, gridDim.x * 64);
    const struct matrices given = {a, b, c, m, n, arguments.k, arguments.n, arguments.alpha, arguments.beta};
    const bool is_even =
        arguments.k % UNIT == 0 && arguments.n % UNIT == 0 && is_aligned(a) && is_aligned(b) && is_aligned(c);
    const unsigned large = (gridDim.x + 1) / 2 * ((gridDim.y + 1) / 2);

    if (large >= count_of_units()) {
        if ((blockIdx.x | blockIdx.y) & 1)
            return;
        if (is_even)
            make_tile<2, true>(given, blockIdx.y * 64, blockIdx.x * 64, memory);
        else
            make_tile<2, false>(given, blockIdx.y * 64, blockIdx.x * 64, memory);
    } else if (is_even) {
        make_tile<1, true>(given, blockIdx.y * 64, blockIdx.x * 64, memory);
    } else {
        make_tile<1, false>(given, blockIdx.y * 64, blockIdx.x * 64, memory);
    }
}
