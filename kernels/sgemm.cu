/* sgemm for CUDA: C = alpha * A * B + beta * C, with the interface of shaders/sgemm.comp.
 *
 * The shader's groups have 256 items and compute 64 x 64 elements of C, which is 16 an item: too few to keep
 * the multipliers busy, because an item then reads half an operand for each product. So where there are
 * enough of them, the first groups compute tiles of 128 x 256, 8 x 16 elements an item, or of 64 x 128, and
 * the others end at once. (V. Volkov and J. Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008;
 * A. Kerr and others, "CUTLASS: fast linear algebra in CUDA C++", 2017, for how a warp's items divide its
 * part of the tile and for copies that run ahead.)
 *
 * Strips of A and B lie in a ring of STAGES in shared memory. Asynchronous copies fill it two strips ahead;
 * they also transpose A, and write zeros for what is beyond k. An item reads the operands of the next step
 * from shared memory while it multiplies those of this step.
 * SPDX-License-Identifier: MIT
 */

#define ITEMS 256
#define UNIT 4 /* elements that are read at once */
#define STAGES 3
#define BAND 8 /* rows of tiles that groups take in turn, so that they share strips of B in the cache */
#define MEMORY (STAGES * 16 * (64 + UNIT + 128)) /* floats; large tiles need a little less */

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

/* ---- copies to shared memory ------------------------------------------------------------------------- */

/* Copy COUNT elements, one or a unit, to this address in shared memory, or write zeros without reading. */
template <unsigned COUNT>
static __device__ __forceinline__ void copy(unsigned to, const float *from, bool is_inside)
{
#if __CUDA_ARCH__ >= 800
    const unsigned bytes = is_inside ? COUNT * sizeof(float) : 0;
    if constexpr (COUNT == UNIT)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                     : "memory");
#else
    float *at = (float *)__cvta_shared_to_generic(to);
    if constexpr (COUNT == UNIT)
        *(float4 *)at = is_inside ? __ldg((const float4 *)from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    else
        *at = is_inside ? __ldg(from) : 0.0f;
#endif
}

static __device__ __forceinline__ void end_stage()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Wait until this item's copies are done, except those of the last COUNT stages. */
template <unsigned COUNT> static __device__ __forceinline__ void wait_for_stages()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(COUNT) : "memory");
#endif
}

/* ---- a tile ------------------------------------------------------------------------------------------ */

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

/* What an item copies of the strips. Of A it copies one column of the strip, of B rows of units; rows and
 * columns outside of C are those at its edge, since what they give is not stored. */
template <unsigned ROWS, unsigned COLUMNS, unsigned DEPTH, bool IS_ALIGNED> struct copier {
    static constexpr unsigned A_ROW  = ROWS + UNIT;   /* of the transposed strip: a warp meets all banks */
    static constexpr unsigned B      = DEPTH * A_ROW; /* where the strip of B begins */
    static constexpr unsigned STAGE  = B + DEPTH * COLUMNS;
    static constexpr unsigned WIDTH  = IS_ALIGNED ? UNIT : 1;
    static constexpr unsigned A_STEP = ITEMS / DEPTH, A_COUNT = ROWS / A_STEP;
    static constexpr unsigned B_STEP = ITEMS * WIDTH / COLUMNS, B_COUNT = DEPTH / B_STEP;

    const float *from_a[A_COUNT], *from_b;
    size_t b_step;
    unsigned to_a, to_b; /* in stage 0: addresses in shared memory */
    unsigned a_k, b_k;   /* of the strip */
    unsigned rest;       /* of k, not yet copied */
    unsigned stage;      /* to fill next */

    __device__ __forceinline__ copier(const struct matrices &given, unsigned row, unsigned column,
                                      unsigned item, float *memory)
        : a_k(item % DEPTH), b_k(item * WIDTH / COLUMNS), rest(given.k), stage(0)
    {
        const unsigned own_row = item / DEPTH, own_column = item * WIDTH % COLUMNS;
#pragma unroll
        for (unsigned i = 0; i < A_COUNT; i++)
            from_a[i] = given.a + (size_t)min(row + own_row + i * A_STEP, given.m - 1) * given.k + a_k;
        from_b = given.b + (size_t)b_k * given.stride + min(column + own_column, given.n - WIDTH);
        b_step = (size_t)B_STEP * given.stride;
        to_a   = (unsigned)__cvta_generic_to_shared(memory + a_k * A_ROW + own_row);
        to_b   = (unsigned)__cvta_generic_to_shared(memory + B + b_k * COLUMNS + own_column);
    }

    __device__ __forceinline__ void fill_stage()
    {
        const unsigned start = stage * (STAGE * sizeof(float));
#pragma unroll
        for (unsigned i = 0; i < A_COUNT; i++) {
            copy<1>(to_a + start + i * (A_STEP * 4), from_a[i], a_k < rest);
            from_a[i] += DEPTH;
        }
#pragma unroll
        for (unsigned i = 0; i < B_COUNT; i++) {
            copy<WIDTH>(to_b + start + i * (B_STEP * COLUMNS * 4), from_b, b_k + i * B_STEP < rest);
            from_b += b_step;
        }
        end_stage();
        rest  = rest > DEPTH ? rest - DEPTH : 0;
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
};

/* The tile whose first element is at (row, column). An item has pieces of 4 x 4, which stand apart so that
 * what a warp reads at once lies side by side. */
template <unsigned ROWS, unsigned COLUMNS, unsigned DEPTH, bool IS_ALIGNED>
static __device__ __forceinline__ void make_tile(const struct matrices &given, unsigned row, unsigned column,
                                                 float *memory)
{
    using strips                  = copier<ROWS, COLUMNS, DEPTH, IS_ALIGNED>;
    constexpr unsigned APART_ROWS = 32, APART_COLUMNS = 16;
    constexpr unsigned HIGH = ROWS / 64 * UNIT, WIDE = COLUMNS / 64 * UNIT; /* elements of an item */
    static_assert(STAGES * strips::STAGE <= MEMORY, "the ring does not fit");

    const unsigned item = threadIdx.y * 16 + threadIdx.x, lane = item % 32, warp = item / 32;
    /* Eight warps, two below each other and four side by side; a warp's items are 8 x 4. */
    const unsigned own_row    = warp / 4 * (ROWS / 2) + lane / 4 * UNIT;
    const unsigned own_column = warp % 4 * (COLUMNS / 4) + lane % 4 * UNIT;
    float sums[HIGH][WIDE]    = {}, left[2][HIGH], right[2][WIDE];

    auto read = [&](unsigned which, const float *stage, unsigned d) {
#pragma unroll
        for (unsigned i = 0; i < HIGH / UNIT; i++)
            *(float4 *)&left[which][i * UNIT] =
                *(const float4 *)(stage + d * strips::A_ROW + own_row + i * APART_ROWS);
#pragma unroll
        for (unsigned j = 0; j < WIDE / UNIT; j++)
            *(float4 *)&right[which][j * UNIT] =
                *(const float4 *)(stage + strips::B + d * COLUMNS + own_column + j * APART_COLUMNS);
    };

    strips copies(given, row, column, item, memory);
#pragma unroll
    for (unsigned i = 0; i < STAGES - 1; i++)
        copies.fill_stage();
    wait_for_stages<STAGES - 2>();
    __syncthreads();

    const float *stage = memory;
    unsigned number    = 0;
    read(0, stage, 0);
#pragma unroll 1
    for (unsigned begin = 0; begin < given.k; begin += DEPTH) {
        number                  = number == STAGES - 1 ? 0 : number + 1;
        const float *next_stage = memory + number * strips::STAGE;
#pragma unroll
        for (unsigned d = 0; d < DEPTH; d++) {
            if (d + 1 < DEPTH) {
                read((d + 1) % 2, stage, d + 1);
            } else {
                wait_for_stages<STAGES - 2>();
                __syncthreads();
                read((d + 1) % 2, next_stage, 0);
            }
            if (d == 0)
                copies.fill_stage(); /* which all items have read: they are past the last barrier */
#pragma unroll
            for (unsigned j = 0; j < WIDE; j++)
#pragma unroll
                for (unsigned i = 0; i < HIGH; i++) {
                    const unsigned at = j % 2 != 0 ? HIGH - 1 - i : i; /* one operand stays the same */
                    sums[at][j]       = fmaf(left[d % 2][at], right[d % 2][j], sums[at][j]);
                }
        }
        stage = next_stage;
        if (given.k - begin <= DEPTH)
            break; /* begin + DEPTH may overflow */
    }
    wait_for_stages<0>();

#pragma unroll
    for (unsigned i = 0; i < HIGH; i++)
#pragma unroll
        for (unsigned j = 0; j < WIDE / UNIT; j++)
            store<IS_ALIGNED>(given, row + own_row + i / UNIT * APART_ROWS + i % UNIT,
                              column + own_column + j * APART_COLUMNS, &sums[i][j * UNIT]);
}

/* ---- the kernel -------------------------------------------------------------------------------------- */

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

/* Tile number `number` of those that cover C: bands of BAND rows from top to bottom, and in a band one column
 * after the other. */
template <unsigned ROWS, unsigned COLUMNS, unsigned DEPTH>
static __device__ __forceinline__ void make_tile_number(const struct matrices &given, size_t number,
                                                        bool has_units, float *memory)
{
    const unsigned high = (given.m - 1) / ROWS + 1, wide = (given.n - 1) / COLUMNS + 1;
    if (number >= (size_t)high * wide)
        return;
    const unsigned band = (unsigned)(number / (BAND * (size_t)wide)) * BAND, rows = min(high - band, BAND);
    const unsigned in_band = (unsigned)(number - (size_t)band * wide);
    const unsigned row = (band + in_band % rows) * ROWS, column = in_band / rows * COLUMNS;
    if (has_units)
        make_tile<ROWS, COLUMNS, DEPTH, true>(given, row, column, memory);
    else
        make_tile<ROWS, COLUMNS, DEPTH, false>(given, row, column, memory);
}

/* About how long tiles of that shape take, where a multiprocessor makes one in `time`. */
static __device__ __forceinline__ size_t time_of(const struct matrices &given, unsigned rows,
                                                 unsigned columns, unsigned time)
{
    const size_t tiles = (size_t)((given.m - 1) / rows + 1) * ((given.n - 1) / columns + 1);
    return ((tiles - 1) / count_of_units() + 1) * time;
}

extern "C" __global__ void __launch_bounds__(ITEMS, 1)
    sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
          const struct sgemm_arguments arguments)
{
    __shared__ __align__(16) float memory[MEMORY];

    /* A grid that does not cover C leaves the rest as it is. */
    const unsigned m = min(arguments.m, gridDim.y * 64), n = min(arguments.n, gridDim.x * 64);
    const struct matrices given = {a, b, c, m, n, arguments.k, arguments.n, arguments.alpha, arguments.beta};
    const bool has_units        = n % UNIT == 0 && arguments.n % UNIT == 0 && is_aligned(b) && is_aligned(c);
    const size_t number         = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    if (m == 0 || n == 0)
        return;

    const size_t large = time_of(given, 128, 256, 16), middle = time_of(given, 64, 128, 6);
    const size_t small = time_of(given, 64, 64, 4);
    if (large <= middle && large <= small)
        make_tile_number<128, 256, 8>(given, number, has_units, memory);
    else if (middle <= small)
        make_tile_number<64, 128, 16>(given, number, has_units, memory);
    else
        make_tile_number<64, 64, 16>(given, number, has_units, memory);
}
