/* histogram for CUDA, with the interface of shaders/histogram.comp.
 *
 * An item reads sixteen bytes at once, and each warp has its own bins, so that few atomic operations collide.
 * (V. Podlozhnyuk, "Histogram calculation in CUDA", 2007.)
 * SPDX-License-Identifier: MIT
 */

#define ITEMS 256
#define WARPS (ITEMS / 32)
#define PER_ITEM 64
#define BLOCK (ITEMS * PER_ITEM)
#define UNIT 16

struct histogram_arguments {
    unsigned count;
};

static __device__ __forceinline__ void count_word(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1u);
    atomicAdd(&bins[word >> 8 & 255], 1u);
    atomicAdd(&bins[word >> 16 & 255], 1u);
    atomicAdd(&bins[word >> 24], 1u);
}

extern "C" __global__ void __launch_bounds__(ITEMS)
    histogram(const unsigned char *__restrict__ source, unsigned *__restrict__ bins,
              const struct histogram_arguments arguments)
{
    __shared__ unsigned found[WARPS][256];
    const unsigned item  = threadIdx.x;
    const unsigned begin = blockIdx.x * BLOCK; /* count is less than 2^32 - BLOCK */
    unsigned *own        = found[item / 32];

#pragma unroll
    for (unsigned warp = 0; warp < WARPS; warp++)
        found[warp][item] = 0;
    __syncthreads();

    if (begin + BLOCK <= arguments.count && (size_t)source % UNIT == 0) {
        const uint4 *units = (const uint4 *)(source + begin) + item;
        uint4 read[PER_ITEM / UNIT];
#pragma unroll
        for (unsigned i = 0; i < PER_ITEM / UNIT; i++)
            read[i] = __ldg(units + i * ITEMS);
#pragma unroll
        for (unsigned i = 0; i < PER_ITEM / UNIT; i++) {
            count_word(own, read[i].x);
            count_word(own, read[i].y);
            count_word(own, read[i].z);
            count_word(own, read[i].w);
        }
    } else {
        for (unsigned i = 0; i < PER_ITEM; i++) {
            const unsigned at = begin + i * ITEMS + item;
            if (at < arguments.count)
                atomicAdd(&own[source[at]], 1u);
        }
    }
    __syncthreads();

    unsigned sum = 0;
#pragma unroll
    for (unsigned warp = 0; warp < WARPS; warp++)
        sum += found[warp][item];
    if (sum != 0)
        atomicAdd(&bins[item], sum);
}
