/* gemm_f16 for CUDA devices of compute capability 9.0, with the interface of shaders/matrix/gemm_f16.comp.
 *
 * A block of 384 items makes a tile of 128 x 256 elements of C, twice what a group of the shader makes, so
 * half of the groups end at once. Warps 0 to 3 and 4 to 7 are two consumers, which multiply 64 x 256 elements
 * each with the tensor cores; the last four warps are the producer, which fills a ring of four stages in
 * shared memory with strips of A and B of depth 64. Barriers say which stages are full and which are empty.
 * The tensor cores read both operands there, in rows of 128 bytes whose units of 16 are swizzled. (NVIDIA,
 * "Parallel Thread Execution ISA": wgmma, cp.async.bulk.tensor, tensormap.replace; V. Thakkar and others,
 * CUTLASS 3, 2023, for the division of the work.)
 *
 * Where rows begin at multiples of 16 bytes, one item of the producer lets the bulk copy engine move boxes of
 * A and B, which also swizzles and writes zeros beyond the edges. The engine takes a description of the
 * matrix, a tensor map, from global memory: the block makes both maps in a slot that it holds while it runs.
 * Otherwise all items of the producer copy, and shift what they read.
 * SPDX-License-Identifier: MIT
 */

#define TILE_ROWS 128
#define TILE_COLUMNS 256
#define DEPTH 64 /* halves: 128 bytes */
#define STAGES 4
#define BAND 8 /* rows of tiles that blocks take in turn, so that they share strips of B in the cache */
#define CONSUMERS 2
#define TEAM 128 /* items of a consumer, and of the producer */
#define BLOCK (TEAM * (CONSUMERS + 1))
#define ROW_BYTES 128u
#define BOX_COLUMNS 64u /* of B: a row of bytes */
#define A_BYTES (TILE_ROWS * ROW_BYTES)
#define BOX_BYTES (DEPTH * ROW_BYTES) /* of B; its boxes lie behind each other */
#define BOXES (TILE_COLUMNS / BOX_COLUMNS)
#define STAGE_BYTES (A_BYTES + BOXES * BOX_BYTES)
#define SWIZZLE_BYTES 1024u /* the alignment that the swizzle needs */
#define SLOTS 256           /* more than blocks that a device runs at once: one a multiprocessor */
#define MAP_BYTES 128
#define SUMS 128 /* of an item */

struct gemm_f16_arguments {
    unsigned m, n, k;
    float alpha, beta;
};

typedef unsigned short half_bits;

struct tile {
    const half_bits *a, *b;
    float *c;
    unsigned row, column;   /* the first of the tile */
    unsigned rows, columns; /* of C, as far as this launch makes it */
    struct gemm_f16_arguments given;
};

/* The stage that is used next. The parity is that of the phase to wait for. */
struct place {
    unsigned stage, parity;
};

static __device__ __forceinline__ void advance(struct place &place)
{
    if (++place.stage == STAGES) {
        place.stage = 0;
        place.parity ^= 1;
    }
}

static __device__ __forceinline__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

/* ---- barriers ---------------------------------------------------------------------------------------- */

/* Shared addresses of the barriers of stage 0; those of the others follow. */
struct ring {
    unsigned full, empty;
    unsigned stages;      /* where the first stage is */
    unsigned char *bytes; /* the same as a pointer */
};

static __device__ __forceinline__ void barrier_create(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

static __device__ __forceinline__ void barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrive, and let the barrier wait for so many bytes of the copy engine besides. */
static __device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}\n" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* ---- tensor maps ------------------------------------------------------------------------------------- */

struct maps {
    unsigned char a[MAP_BYTES], b[MAP_BYTES];
};

static __device__ __align__(MAP_BYTES)
struct maps all_maps[SLOTS];
static __device__ unsigned is_slot_taken[SLOTS];

/* Blocks begin their search at different slots: one runs on a multiprocessor. */
static __device__ unsigned take_slot()
{
    unsigned slot;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(slot));
    for (slot %= SLOTS; atomicCAS(&is_slot_taken[slot], 0, 1) != 0;)
        slot = (slot + 1) % SLOTS;
    __threadfence();
    return slot;
}

static __device__ void give_slot_back(unsigned slot)
{
    __threadfence();
    atomicExch(&is_slot_taken[slot], 0);
}

#define REPLACE(field, operands) "tensormap.replace.tile." field ".shared::cta.b1024." operands ";"

/* Describe a matrix of halves, for boxes of `box_rows` rows of 128 bytes. The map is in shared memory, all
 * zeros. */
static __device__ void describe(unsigned map, const half_bits *matrix, unsigned rows, unsigned columns,
                                unsigned box_rows)
{
    const unsigned long long row_bytes = 2ull * columns;
    asm volatile(REPLACE("global_address", "b64 [%0], %1")::"r"(map), "l"(matrix) : "memory");
    asm volatile(REPLACE("rank", "b32 [%0], 1")::"r"(map) : "memory"); /* two dimensions */
    asm volatile(REPLACE("box_dim", "b32 [%0], 0, %1")::"r"(map), "r"(ROW_BYTES / 2) : "memory");
    asm volatile(REPLACE("box_dim", "b32 [%0], 1, %1")::"r"(map), "r"(box_rows) : "memory");
    asm volatile(REPLACE("global_dim", "b32 [%0], 0, %1")::"r"(map), "r"(columns) : "memory");
    asm volatile(REPLACE("global_dim", "b32 [%0], 1, %1")::"r"(map), "r"(rows) : "memory");
    asm volatile(REPLACE("global_stride", "b64 [%0], 0, %1")::"r"(map), "l"(row_bytes) : "memory");
    asm volatile(REPLACE("element_stride", "b32 [%0], 0, %1")::"r"(map), "r"(1) : "memory");
    asm volatile(REPLACE("element_stride", "b32 [%0], 1, %1")::"r"(map), "r"(1) : "memory");
    asm volatile(REPLACE("elemtype", "b32 [%0], 6")::"r"(map) : "memory");          /* f16 */
    asm volatile(REPLACE("interleave_layout", "b32 [%0], 0")::"r"(map) : "memory"); /* none */
    asm volatile(REPLACE("swizzle_mode", "b32 [%0], 3")::"r"(map) : "memory");      /* 128 bytes */
    asm volatile(REPLACE("fill_mode", "b32 [%0], 0")::"r"(map) : "memory");         /* zeros */
}

/* Copy a map to global memory, where the copy engine reads it. By a whole warp. */
static __device__ __forceinline__ void publish(unsigned char *to, unsigned map)
{
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(to),
                 "r"(map)
                 : "memory");
    __syncwarp();
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(to) : "memory");
}

/* ---- the producer ------------------------------------------------------------------------------------ */

/* Let the copy engine move the box at (x, y) of the matrix; it then completes the barrier. */
static __device__ __forceinline__ void move_box(unsigned to, const unsigned char *map, unsigned barrier,
                                                unsigned x, unsigned y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/* By the first warp of the producer. */
static __device__ __forceinline__ void produce_boxes(const struct tile &tile, const struct ring &ring,
                                                     unsigned item)
{
    __shared__ __align__(MAP_BYTES) unsigned own[2][MAP_BYTES / 4];
    const unsigned map_a = shared_address(own[0]), map_b = shared_address(own[1]);
    const unsigned slot = __shfl_sync(~0u, item == 0 ? take_slot() : 0, 0);
    struct maps &maps   = all_maps[slot];
    own[0][item] = own[1][item] = 0;
    __syncwarp();
    if (item == 0) {
        describe(map_a, tile.a, tile.given.m, tile.given.k, TILE_ROWS);
        describe(map_b, tile.b, tile.given.k, tile.given.n, DEPTH);
    }
    __syncwarp();
    publish(maps.a, map_a);
    publish(maps.b, map_b);
    if (item != 0)
        return;

    struct place place = {0, 1};
    for (unsigned begin = 0; begin < tile.given.k; begin += DEPTH) {
        const unsigned full = ring.full + 8 * place.stage, to = ring.stages + place.stage * STAGE_BYTES;
        barrier_wait(ring.empty + 8 * place.stage, place.parity);
        barrier_expect(full, STAGE_BYTES);
        move_box(to, maps.a, full, begin, tile.row);
#pragma unroll
        for (unsigned box = 0; box < BOXES; box++)
            move_box(to + A_BYTES + box * BOX_BYTES, maps.b, full, tile.column + box * BOX_COLUMNS, begin);
        advance(place);
        if (tile.given.k - begin <= DEPTH)
            break; /* begin + DEPTH may overflow */
    }
    for (unsigned i = 0; i < STAGES; i++) { /* until the engine has read the maps for the last time */
        barrier_wait(ring.empty + 8 * place.stage, place.parity);
        advance(place);
    }
    give_slot_back(slot);
}

/* Sixteen bytes, or zeros without reading: no branch, so that many reads are in flight. */
static __device__ __forceinline__ uint4 read_if(bool is_wanted, const uint4 *from)
{
    uint4 unit;
    asm volatile("{\n"
                 ".reg .pred is_wanted;\n"
                 "setp.ne.b32 is_wanted, %5, 0;\n"
                 "mov.b32 %0, 0;\n"
                 "mov.b32 %1, 0;\n"
                 "mov.b32 %2, 0;\n"
                 "mov.b32 %3, 0;\n"
                 "@is_wanted ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4];\n"
                 "}\n"
                 : "=&r"(unit.x), "=&r"(unit.y), "=&r"(unit.z), "=&r"(unit.w)
                 : "l"(from), "r"((int)is_wanted));
    return unit;
}

/* A matrix as it lies in memory. */
struct halves {
    const half_bits *begin, *end;
};

/* The units of 16 bytes in which eight halves from `from` on lie. */
static __device__ __forceinline__ const uint4 *units_of(const half_bits *from)
{
    return (const uint4 *)((size_t)from & ~(size_t)15);
}

static __device__ __forceinline__ bool has_units(const struct halves &matrix, const half_bits *from)
{
    return units_of(from) >= (const uint4 *)matrix.begin && units_of(from) + 2 <= (const uint4 *)matrix.end;
}

/* Cut eight halves out of two units, zeros from number `count` on. */
static __device__ __forceinline__ uint4 cut(uint4 low, uint4 high, unsigned skip, unsigned count)
{
    unsigned word[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (unsigned i = 0; i < 6; i++)
        word[i] = skip & 4 ? word[i + 2] : word[i];
#pragma unroll
    for (unsigned i = 0; i < 5; i++)
        word[i] = skip & 2 ? word[i + 1] : word[i];
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        word[i] = __funnelshift_r(word[i], word[i + 1], skip % 2 * 16);
        word[i] = 2 * i + 1 < count ? word[i] : 2 * i < count ? word[i] & 0xffff : 0;
    }
    return make_uint4(word[0], word[1], word[2], word[3]);
}

/* The same where the units are not within the matrix. */
static __device__ uint4 read_one_by_one(const half_bits *from, unsigned count)
{
    unsigned word[4];
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        word[i] = (2 * i < count ? __ldg(from + 2 * i) : 0u) |
                  (2 * i + 1 < count ? (unsigned)__ldg(from + 2 * i + 1) << 16 : 0u);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

/* Where unit `unit` of a row lies in rows of 128 bytes: they change places. */
static __device__ __forceinline__ uint4 *swizzled(unsigned char *rows, unsigned row, unsigned unit)
{
    return (uint4 *)(rows + row * ROW_BYTES + (unit ^ row % 8) * 16);
}

/* How many of eight elements from `first` on are before `end`. */
static __device__ __forceinline__ unsigned count_before(unsigned end, unsigned first)
{
    return first < end ? min(end - first, 8) : 0;
}

#define AT_ONCE 8 /* rows of a unit that are in flight */

/* Copy `count` elements of AT_ONCE rows, STEP apart, to unit `to_unit` of the rows in shared memory. */
template <unsigned STEP>
static __device__ __forceinline__ void copy_units(const struct halves &matrix, unsigned stride, unsigned rows,
                                                  unsigned row, unsigned column, unsigned count,
                                                  unsigned char *to, unsigned to_row, unsigned to_unit)
{
    const half_bits *from = matrix.begin + (size_t)row * stride + column;
    uint4 low[AT_ONCE], high[AT_ONCE];
#pragma unroll
    for (unsigned i = 0; i < AT_ONCE; i++) {
        const half_bits *at  = from + (size_t)(i * STEP) * stride;
        const bool is_wanted = row + i * STEP < rows && count != 0 && has_units(matrix, at);
        low[i]               = read_if(is_wanted, units_of(at));
        high[i]              = read_if(is_wanted, units_of(at) + 1);
    }
#pragma unroll
    for (unsigned i = 0; i < AT_ONCE; i++) {
        const half_bits *at   = from + (size_t)(i * STEP) * stride;
        const unsigned wanted = row + i * STEP < rows ? count : 0;
        uint4 unit            = cut(low[i], high[i], (unsigned)((size_t)at % 16 / 2), wanted);
        if (wanted != 0 && !has_units(matrix, at))
            unit = read_one_by_one(at, wanted);
        *swizzled(to, to_row + i * STEP, to_unit) = unit;
    }
}

/* By all items of the producer. */
static __device__ __forceinline__ void produce_units(const struct tile &tile, const struct ring &ring,
                                                     unsigned item)
{
    const unsigned m = tile.given.m, n = tile.given.n, k = tile.given.k;
    const struct halves a = {tile.a, tile.a + (size_t)m * k}, b = {tile.b, tile.b + (size_t)k * n};
    constexpr unsigned A_UNITS = ROW_BYTES / 16, B_UNITS = TILE_COLUMNS / 8; /* of a row */
    constexpr unsigned A_STEP = TEAM / A_UNITS, B_STEP = TEAM / B_UNITS;
    const unsigned a_row = item / A_UNITS, a_unit = item % A_UNITS;
    const unsigned b_row = item / B_UNITS, b_unit = item % B_UNITS;
    const unsigned b_column = tile.column + b_unit * 8, b_count = count_before(n, b_column);
    struct place place = {0, 1};
    for (unsigned begin = 0; begin < k; begin += DEPTH) {
        unsigned char *to       = ring.bytes + place.stage * STAGE_BYTES;
        unsigned char *box      = to + A_BYTES + b_unit / A_UNITS * BOX_BYTES;
        const unsigned a_column = begin + a_unit * 8, a_count = count_before(k, a_column);
        barrier_wait(ring.empty + 8 * place.stage, place.parity);
        for (unsigned r = a_row; r < TILE_ROWS; r += A_STEP * AT_ONCE)
            copy_units<A_STEP>(a, k, m, tile.row + r, a_column, a_count, to, r, a_unit);
        for (unsigned r = b_row; r < DEPTH; r += B_STEP * AT_ONCE)
            copy_units<B_STEP>(b, n, k, begin + r, b_column, b_count, box, r, b_unit % A_UNITS);
        asm volatile("fence.proxy.async.shared::cta;" ::
                         : "memory"); /* the tensor cores read what was written */
        barrier_arrive(ring.full + 8 * place.stage);
        advance(place);
        if (k - begin <= DEPTH)
            break;
    }
}

/* ---- a consumer -------------------------------------------------------------------------------------- */

/* An operand in shared memory, in swizzled rows of 128 bytes: eight rows are 1,024 bytes. leading: bytes from
 * one box of columns to the next, where rows are the depth. */
static __device__ __forceinline__ unsigned long long operand(unsigned address, unsigned leading)
{
    return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(SWIZZLE_BYTES >> 4) << 32 | 1ull << 62;
}

#define SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)

/* Begin sums = a * b, or sums += a * b if `adds`, for 64 x 16 elements of A and 16 x 256 of B. */
static __device__ __forceinline__ void multiply(float (&sums)[SUMS], unsigned long long a,
                                                unsigned long long b, int adds)
{
    asm volatile("{\n"
                 ".reg .pred adds;\n"
                 "setp.ne.b32 adds, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
                 "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
                 "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
                 "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
                 "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
                 "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "
                 "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
                 "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
                 "}, %128, %129, adds, 1, 1, 0, 1;\n" /* B lies with its columns side by side */
                 "}\n"
                 : SUMS_16(0), SUMS_16(16), SUMS_16(32), SUMS_16(48), SUMS_16(64), SUMS_16(80), SUMS_16(96),
                   SUMS_16(112)
                 : "l"(a), "l"(b), "r"(adds));
}

template <bool IS_PAIR>
static __device__ __forceinline__ void store(const struct tile &tile, float *at, unsigned column, float x,
                                             float y)
{
    const float alpha = tile.given.alpha, beta = tile.given.beta;
    if (IS_PAIR && column + 1 < tile.columns) {
        float2 result = make_float2(alpha * x, alpha * y);
        if (beta != 0.0f) {
            const float2 old = *(const float2 *)at;
            result           = make_float2(fmaf(alpha, x, beta * old.x), fmaf(alpha, y, beta * old.y));
        }
        *(float2 *)at = result;
        return;
    }
    if (column < tile.columns)
        at[0] = beta == 0.0f ? alpha * x : fmaf(alpha, x, beta * at[0]);
    if (column + 1 < tile.columns)
        at[1] = beta == 0.0f ? alpha * y : fmaf(alpha, y, beta * at[1]);
}

/* An item has pairs of neighbours in two rows of each eight columns. */
template <bool IS_PAIR>
static __device__ __forceinline__ void store_sums(const struct tile &tile, const float (&sums)[SUMS],
                                                  unsigned consumer, unsigned item)
{
    const unsigned first  = tile.row + consumer * 64 + item / 32 * 16 + item % 32 / 4;
    const unsigned column = tile.column + item % 4 * 2;
#pragma unroll
    for (unsigned half = 0; half < 2; half++) {
        const unsigned row = first + half * 8;
        float *at          = tile.c + (size_t)row * tile.given.n + column;
        if (row < tile.rows)
#pragma unroll
            for (unsigned i = 0; i < TILE_COLUMNS / 8; i++)
                store<IS_PAIR>(tile, at + i * 8, column + i * 8, sums[i * 4 + half * 2],
                               sums[i * 4 + half * 2 + 1]);
    }
}

static __device__ __forceinline__ void consume(const struct tile &tile, const struct ring &ring,
                                               unsigned consumer, unsigned item)
{
    float sums[SUMS]   = {};
    struct place place = {0, 0};
    unsigned before    = 0; /* the stage before this one */
    for (unsigned begin = 0; begin < tile.given.k; begin += DEPTH) {
        const unsigned a = ring.stages + place.stage * STAGE_BYTES + consumer * (64 * ROW_BYTES);
        const unsigned b = ring.stages + place.stage * STAGE_BYTES + A_BYTES;
        barrier_wait(ring.full + 8 * place.stage, place.parity);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (unsigned d = 0; d < DEPTH; d += 16)
            multiply(sums, operand(a + d * 2, 16), operand(b + d * ROW_BYTES, BOX_BYTES), begin + d != 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (begin != 0 && item == 0)
            barrier_arrive(ring.empty + 8 * before); /* its products are done */
        before = place.stage;
        advance(place);
        if (tile.given.k - begin <= DEPTH)
            break;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (tile.given.k != 0 && item == 0)
        barrier_arrive(ring.empty + 8 * before);
    if (tile.given.n % 2 == 0 && (size_t)tile.c % sizeof(float2) == 0)
        store_sums<true>(tile, sums, consumer, item);
    else
        store_sums<false>(tile, sums, consumer, item);
}

/* ---- the kernel -------------------------------------------------------------------------------------- */

/* Find the tile of this block; false: it has none. Bands of BAND rows follow each other from top to bottom,
 * and in a band one column the other. */
static __device__ __forceinline__ bool find_tile(struct tile &tile)
{
    const size_t number = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    if (tile.rows == 0 || tile.columns == 0)
        return false;
    const unsigned high = (tile.rows - 1) / TILE_ROWS + 1, wide = (tile.columns - 1) / TILE_COLUMNS + 1;
    if (number >= (size_t)high * wide)
        return false;
    const unsigned band = (unsigned)(number / (BAND * (size_t)wide)) * BAND, rows = min(high - band, BAND);
    const unsigned in_band = (unsigned)(number - (size_t)band * wide);
    tile.row               = (band + in_band % rows) * TILE_ROWS;
    tile.column            = in_band / rows * TILE_COLUMNS;
    return true;
}

/* Whether the copy engine takes a matrix with rows of so many elements. */
static __device__ __forceinline__ bool has_boxes(const half_bits *matrix, unsigned columns)
{
    return (size_t)matrix % 16 == 0 && columns % 8 == 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1)
    gemm_f16(const half_bits *__restrict__ a, const half_bits *__restrict__ b, float *__restrict__ c,
             const struct gemm_f16_arguments given)
{
    extern __shared__ unsigned char dynamic[];
    __shared__ unsigned long long barriers[2 * STAGES];
    const unsigned item = threadIdx.x % TEAM, team = threadIdx.x / TEAM;
    const unsigned start   = -shared_address(dynamic) % SWIZZLE_BYTES;
    const struct ring ring = {shared_address(barriers), shared_address(barriers + STAGES),
                              shared_address(dynamic) + start, dynamic + start};
    const bool is_boxes    = has_boxes(a, given.k) && has_boxes(b, given.n);

    /* A grid that does not cover C leaves the rest as it is. */
    struct tile tile = {a, b, c, 0, 0, min(given.m, gridDim.y * 128), min(given.n, gridDim.x * 128), given};
    if (!find_tile(tile))
        return;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < STAGES; i++) {
            barrier_create(ring.full + 8 * i, is_boxes ? 1 : TEAM);
            barrier_create(ring.empty + 8 * i, CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (team < CONSUMERS)
        consume(tile, ring, team, item);
    else if (!is_boxes)
        produce_units(tile, ring, item);
    else if (item < 32)
        produce_boxes(tile, ring, item);
}

// trireme by-hand gemm_f16:384+197632
