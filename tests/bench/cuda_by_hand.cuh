/* Kernels as one writes them by hand in CUDA, beside which the built-in ones are measured (cuda_kernels.cu).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_CUDA_BY_HAND_CUH
#define TRIREME_TESTS_BENCH_CUDA_BY_HAND_CUH

#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned own()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* What maps elements is written for four at once, as one does for the memory's sake. */
template <class F>
__global__ void map1(const float4 *__restrict__ x, float4 *__restrict__ y, unsigned count, F f)
{
    unsigned i = own();
    if (i >= count)
        return;
    float4 v = x[i];
    y[i]     = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

__global__ void hand_axpy(const float4 *__restrict__ x, float4 *__restrict__ y, float a, unsigned count)
{
    unsigned i = own();
    if (i >= count)
        return;
    float4 v = x[i], w = y[i];
    y[i] = make_float4(fmaf(a, v.x, w.x), fmaf(a, v.y, w.y), fmaf(a, v.z, w.z), fmaf(a, v.w, w.w));
}

__global__ void hand_axpy_scalar(const float *__restrict__ x, float *__restrict__ y, float a, unsigned count)
{
    unsigned i = own();
    if (i < count)
        y[i] = fmaf(a, x[i], y[i]);
}

__global__ void hand_add(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ y,
                         unsigned count)
{
    unsigned i = own();
    if (i >= count)
        return;
    float4 v = a[i], w = b[i];
    y[i] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
}

__global__ void hand_fill(float4 *y, float value, unsigned count)
{
    unsigned i = own();
    if (i < count)
        y[i] = make_float4(value, value, value, value);
}

__global__ void hand_u8_f32(const uchar4 *__restrict__ x, float4 *__restrict__ y, float scale, float bias,
                            unsigned count)
{
    unsigned i = own();
    if (i >= count)
        return;
    uchar4 v = x[i];
    y[i]     = make_float4(fmaf(v.x, scale, bias), fmaf(v.y, scale, bias), fmaf(v.z, scale, bias),
                           fmaf(v.w, scale, bias));
}

static __device__ __forceinline__ unsigned char to_u8(float v)
{
    return (unsigned char)rintf(fminf(fmaxf(v, 0.0f), 255.0f));
}

__global__ void hand_f32_u8(const float4 *__restrict__ x, uchar4 *__restrict__ y, float scale, float bias,
                            unsigned count)
{
    unsigned i = own();
    if (i >= count)
        return;
    float4 v = x[i];
    y[i]     = make_uchar4(to_u8(fmaf(v.x, scale, bias)), to_u8(fmaf(v.y, scale, bias)),
                           to_u8(fmaf(v.z, scale, bias)), to_u8(fmaf(v.w, scale, bias)));
}

__global__ void hand_gray(const float *__restrict__ x, float *__restrict__ y, unsigned count)
{
    unsigned i = own();
    if (i < count)
        y[i] = 0.299f * x[3 * i] + 0.587f * x[3 * i + 1] + 0.114f * x[3 * i + 2];
}

__global__ void hand_blend(const float4 *__restrict__ front, const float4 *__restrict__ back,
                           float4 *__restrict__ y, unsigned count)
{
    unsigned i = own();
    if (i >= count)
        return;
    float4 f = front[i], b = back[i];
    float left = b.w * (1.0f - f.w), alpha = f.w + left, by = alpha > 0.0f ? 1.0f / alpha : 0.0f;
    y[i] = make_float4((f.x * f.w + b.x * left) * by, (f.y * f.w + b.y * left) * by,
                       (f.z * f.w + b.z * left) * by, alpha);
}

__global__ void hand_sgd(const float4 *__restrict__ g, float4 *__restrict__ w, float4 *__restrict__ v,
                         float rate, float momentum, float decay, unsigned count)
{
    unsigned i = own();
    if (i >= count)
        return;
    float4 a = g[i], b = w[i], c = v[i];
    c.x  = momentum * c.x + a.x + decay * b.x;
    c.y  = momentum * c.y + a.y + decay * b.y;
    c.z  = momentum * c.z + a.z + decay * b.z;
    c.w  = momentum * c.w + a.w + decay * b.w;
    v[i] = c;
    w[i] = make_float4(b.x - rate * c.x, b.y - rate * c.y, b.z - rate * c.z, b.w - rate * c.w);
}

static __device__ __forceinline__ float at(const float *image, int width, int height, int x, int y)
{
    return __ldg(image + (size_t)min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1));
}

__global__ void hand_box3(const float *__restrict__ from, float *__restrict__ to, int width, int height)
{
    int x = (int)own(), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += at(from, width, height, x + dx, y + dy);
    to[(size_t)y * width + x] = sum * (1.0f / 9.0f);
}

__global__ void hand_sobel(const float *__restrict__ from, float *__restrict__ to, int width, int height)
{
    int x = (int)own(), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    float p[3][3];
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            p[dy][dx] = at(from, width, height, x + dx - 1, y + dy - 1);
    float gx                  = p[0][2] - p[0][0] + 2.0f * (p[1][2] - p[1][0]) + p[2][2] - p[2][0];
    float gy                  = p[2][0] - p[0][0] + 2.0f * (p[2][1] - p[0][1]) + p[2][2] - p[0][2];
    to[(size_t)y * width + x] = sqrtf(gx * gx + gy * gy);
}

__global__ void hand_convolve3(const float *__restrict__ from, const float *__restrict__ weights,
                               float *__restrict__ to, int width, int height)
{
    int x = (int)own(), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum = fmaf(weights[3 * dy + dx], at(from, width, height, x + dx - 1, y + dy - 1), sum);
    to[(size_t)y * width + x] = sum;
}

/* One output a thread, neighbours of the row from shared memory. */
template <bool GAUSS>
__global__ void hand_row_blur(const float *__restrict__ from, float *__restrict__ to, int width, int height,
                              int radius, float sigma)
{
    __shared__ float row[256 + 64], weights[65];
    int begin = (int)(blockIdx.x * 256), y = (int)blockIdx.y, t = (int)threadIdx.x;
    for (int i = t; i < 256 + 2 * radius; i += 256)
        row[i] = at(from, width, height, begin + i - radius, y);
    if (GAUSS && t <= 2 * radius)
        weights[t] = expf(-0.5f * (float)((t - radius) * (t - radius)) / (sigma * sigma));
    __syncthreads();
    float sum = 0.0f, total = 0.0f;
    for (int i = 0; i <= 2 * radius; i++) {
        sum += GAUSS ? weights[i] * row[t + i] : row[t + i];
        total += GAUSS ? weights[i] : 1.0f;
    }
    if (begin + t < width)
        to[(size_t)y * width + begin + t] = sum / total;
}

__global__ void hand_transpose(const float *__restrict__ from, float *__restrict__ to, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 32 + threadIdx.y);
    for (int i = 0; i < 32; i += 8)
        if (x < columns && y + i < rows)
            tile[threadIdx.y + i][threadIdx.x] = from[(size_t)(y + i) * columns + x];
    __syncthreads();
    x = (int)(blockIdx.y * 32 + threadIdx.x), y = (int)(blockIdx.x * 32 + threadIdx.y);
    for (int i = 0; i < 32; i += 8)
        if (x < rows && y + i < columns)
            to[(size_t)(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

static __device__ __forceinline__ float warp_sum(float sum)
{
    for (int distance = 16; distance != 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
}

__global__ void hand_reduce(const float4 *__restrict__ from, float *__restrict__ partial)
{
    __shared__ float sums[8];
    const float4 *block = from + (size_t)blockIdx.x * 1024;
    float sum           = 0.0f;
    for (int i = 0; i < 4; i++) {
        float4 v = block[i * 256 + threadIdx.x];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < 8 ? sums[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    }
}

/* The inclusive scan of blocks of 2048, eight a thread. */
__global__ void hand_scan(const float *__restrict__ from, float *__restrict__ to, float *__restrict__ sums)
{
    __shared__ float warps[8];
    size_t begin       = (size_t)blockIdx.x * 2048 + threadIdx.x * 8;
    const float4 *read = (const float4 *)(from + begin);
    float4 a = read[0], b = read[1];
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    for (int i = 1; i < 8; i++)
        v[i] += v[i - 1];
    float before = v[7];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        float other = __shfl_up_sync(~0u, before, distance);
        before += lane >= distance ? other : 0.0f;
    }
    if (lane == 31)
        warps[warp] = before;
    before -= v[7];
    __syncthreads();
    for (int i = 0; i < warp; i++)
        before += warps[i];
    for (int i = 0; i < 8; i++)
        v[i] += before;
    float4 *write = (float4 *)(to + begin);
    write[0]      = make_float4(v[0], v[1], v[2], v[3]);
    write[1]      = make_float4(v[4], v[5], v[6], v[7]);
    if (threadIdx.x == 255)
        sums[blockIdx.x] = v[7];
}

__global__ void hand_histogram(const uint4 *__restrict__ from, unsigned *bins, unsigned count)
{
    __shared__ unsigned own_bins[256];
    own_bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = own(); i < count; i += gridDim.x * blockDim.x) {
        uint4 v          = from[i];
        unsigned words[] = {v.x, v.y, v.z, v.w};
        for (unsigned word : words)
            for (int k = 0; k < 4; k++)
                atomicAdd(&own_bins[word >> 8 * k & 255], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own_bins[threadIdx.x]);
}

#endif
