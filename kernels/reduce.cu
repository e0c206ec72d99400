/* reduce for CUDA: the sum of the floats of each block, with the interface of shaders/reduce.comp.
 *
 * An item adds up sixteen elements, reading four at once; a warp adds up the sums of its items without shared
 * memory. The order of the additions is the same each time.
 * SPDX-License-Identifier: MIT
 */

#define ITEMS 256
#define PER_ITEM 16
#define BLOCK (ITEMS * PER_ITEM)

struct reduce_arguments {
    unsigned count;
};

static __device__ __forceinline__ float sum_of_unit(float4 unit)
{
    return (unit.x + unit.y) + (unit.z + unit.w);
}

static __device__ __forceinline__ float sum_of_warp(float sum)
{
#pragma unroll
    for (unsigned distance = 16; distance != 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
}

extern "C" __global__ void __launch_bounds__(ITEMS)
    reduce(const float *__restrict__ source, float *__restrict__ partial,
           const struct reduce_arguments arguments)
{
    __shared__ float sums[ITEMS / 32];
    const unsigned item  = threadIdx.x;
    const unsigned begin = blockIdx.x * BLOCK; /* count is less than 2^32 - BLOCK */
    float sum            = 0.0f;

    if (begin + BLOCK <= arguments.count && (size_t)source % sizeof(float4) == 0) {
        const float4 *units = (const float4 *)(source + begin) + item;
        float4 own[PER_ITEM / 4];
#pragma unroll
        for (unsigned i = 0; i < PER_ITEM / 4; i++)
            own[i] = __ldg(units + i * ITEMS);
        sum = (sum_of_unit(own[0]) + sum_of_unit(own[1])) + (sum_of_unit(own[2]) + sum_of_unit(own[3]));
    } else {
        for (unsigned i = 0; i < PER_ITEM; i++) {
            const unsigned at = begin + i * ITEMS + item;
            if (at < arguments.count)
                sum += source[at];
        }
    }

    sum = sum_of_warp(sum);
    if (item % 32 == 0)
        sums[item / 32] = sum;
    __syncthreads();
    if (item < 32) {
        sum = sum_of_warp(item < ITEMS / 32 ? sums[item] : 0.0f);
        if (item == 0)
            partial[blockIdx.x] = sum;
    }
}
