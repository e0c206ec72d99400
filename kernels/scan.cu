/* scan for CUDA: the inclusive sums of the floats of each block, with the interface of shaders/scan.comp.
 *
 * An item adds up seven neighbours, a warp scans the sums of its items without shared memory, and each item
 * adds the sums of the preceding warps. Elements are read and written in the order of the block and pass
 * through shared memory; an odd number for each item keeps the items of a warp on different banks. (M.
 * Harris, S. Sengupta, J. Owens, "Parallel prefix sum (scan) with CUDA", 2007.)
 * SPDX-License-Identifier: MIT
 */

#define ITEMS 256
#define WARPS (ITEMS / 32)
#define PER_ITEM 7
#define BLOCK (ITEMS * PER_ITEM)

struct scan_arguments {
    unsigned count;
};

/* The sum of this lane's value and those of all lanes before it. */
static __device__ __forceinline__ float scan_of_warp(float sum, unsigned lane)
{
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const float other = __shfl_up_sync(~0u, sum, distance);
        sum += lane >= distance ? other : 0.0f;
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(ITEMS)
    scan(const float *__restrict__ source, float *__restrict__ target, float *__restrict__ sums,
         const struct scan_arguments arguments)
{
    __shared__ float block[BLOCK];
    __shared__ float totals[WARPS];
    const unsigned item = threadIdx.x, lane = item % 32, warp = item / 32;
    const unsigned begin = blockIdx.x * BLOCK;
    float own[PER_ITEM];

#pragma unroll
    for (unsigned k = 0; k < PER_ITEM; k++) {
        const unsigned at = begin + k * ITEMS + item;
        own[k]            = at < arguments.count ? __ldg(source + at) : 0.0f;
    }
#pragma unroll
    for (unsigned k = 0; k < PER_ITEM; k++)
        block[k * ITEMS + item] = own[k];
    __syncthreads();

#pragma unroll
    for (unsigned k = 0; k < PER_ITEM; k++)
        own[k] = block[item * PER_ITEM + k];
#pragma unroll
    for (unsigned k = 1; k < PER_ITEM; k++)
        own[k] += own[k - 1];
    const float together = scan_of_warp(own[PER_ITEM - 1], lane);
    if (lane == 31)
        totals[warp] = together;
    __syncthreads();

    float before = __shfl_up_sync(~0u, together, 1);
    before       = lane != 0 ? before : 0.0f;
    float others = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < WARPS; i++)
        others += i < warp ? totals[i] : 0.0f;
    before += others;
#pragma unroll
    for (unsigned k = 0; k < PER_ITEM; k++)
        block[item * PER_ITEM + k] = before + own[k];
    __syncthreads();

#pragma unroll
    for (unsigned k = 0; k < PER_ITEM; k++) {
        const unsigned at = begin + k * ITEMS + item;
        if (at < arguments.count)
            target[at] = block[k * ITEMS + item];
    }
    if (item == 0)
        sums[blockIdx.x] = block[BLOCK - 1];
}
