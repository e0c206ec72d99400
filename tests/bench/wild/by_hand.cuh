/* The kernels of the suite "wild" as one writes them by hand in CUDA. They are launched with the groups of the shaders.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_WILD_BY_HAND_CUH
#define TRIREME_TESTS_BENCH_WILD_BY_HAND_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct add {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct greater {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class F> static __device__ __forceinline__ float over_warp(float own, F f)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        own = f(own, __shfl_xor_sync(~0u, own, distance));
    return own;
}

/* The same value in all threads of the block. */
template <int THREADS, class F> static __device__ __forceinline__ float over_block(float own, F f)
{
    __shared__ float warps[THREADS / 32];
    own = over_warp(own, f);
    __syncthreads(); /* the last use is over */
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = own;
    __syncthreads();
    own = warps[0];
#pragma unroll
    for (int i = 1; i < THREADS / 32; i++)
        own = f(own, warps[i]);
    return own;
}

struct block_q4 {
    __half scale;
    uint16_t quads[8];
};

__global__ void __launch_bounds__(64) q4_matvec(const block_q4 *__restrict__ w, const float *__restrict__ x,
                                                float *__restrict__ y, uint32_t columns)
{
    uint32_t row = blockIdx.x, blocks = columns / 32;
    float sum = 0.0f;
    for (uint32_t b = threadIdx.x; b < blocks; b += 64) {
        const block_q4 *at = &w[row * blocks + b];
        const float *xb    = x + b * 32;
        float part         = 0.0f;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint32_t q = at->quads[i];
            part += ((float)(q & 15) - 8.0f) * xb[2 * i] + ((float)(q >> 8 & 15) - 8.0f) * xb[2 * i + 1] +
                    ((float)(q >> 4 & 15) - 8.0f) * xb[2 * i + 16] + ((float)(q >> 12) - 8.0f) * xb[2 * i + 17];
        }
        sum += __half2float(at->scale) * part;
    }
    sum = over_block<64>(sum, add());
    if (threadIdx.x == 0)
        y[row] = sum;
}

__global__ void __launch_bounds__(256) softmax(const float *__restrict__ x, float *__restrict__ y, uint32_t columns,
                                               float scale)
{
    x += (size_t)blockIdx.x * columns;
    y += (size_t)blockIdx.x * columns;
    float most = -3.4e38f;
    for (uint32_t c = threadIdx.x; c < columns; c += 256)
        most = fmaxf(most, x[c] * scale);
    most      = over_block<256>(most, greater());
    float sum = 0.0f;
    for (uint32_t c = threadIdx.x; c < columns; c += 256) {
        float e = expf(x[c] * scale - most);
        y[c]    = e;
        sum += e;
    }
    float factor = 1.0f / over_block<256>(sum, add());
    for (uint32_t c = threadIdx.x; c < columns; c += 256)
        y[c] *= factor;
}

__global__ void __launch_bounds__(256) layer_norm(const float *__restrict__ x, const float *__restrict__ gain,
                                                  const float *__restrict__ bias, float *__restrict__ y,
                                                  uint32_t columns, float epsilon)
{
    x += (size_t)blockIdx.x * columns;
    y += (size_t)blockIdx.x * columns;
    float sum = 0.0f;
    for (uint32_t c = threadIdx.x; c < columns; c += 256)
        sum += x[c];
    float mean = over_block<256>(sum, add()) / (float)columns, squares = 0.0f;
    for (uint32_t c = threadIdx.x; c < columns; c += 256) {
        float d = x[c] - mean;
        squares += d * d;
    }
    float factor = rsqrtf(over_block<256>(squares, add()) / (float)columns + epsilon);
    for (uint32_t c = threadIdx.x; c < columns; c += 256)
        y[c] = (x[c] - mean) * factor * gain[c] + bias[c];
}

__global__ void __launch_bounds__(256) im2col(const float *__restrict__ image, float *__restrict__ columns, int width,
                                              int height)
{
    int pixel = (int)(blockIdx.x * 256 + threadIdx.x), row = (int)blockIdx.y;
    if (pixel >= width * height)
        return;
    int channel = row / 9, place = row % 9;
    int x = pixel % width + place % 3 - 1, y = pixel / width + place / 3 - 1;
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    columns[row * width * height + pixel] = inside ? image[(channel * height + y) * width + x] : 0.0f;
}

__global__ void __launch_bounds__(256) gemm(const float *__restrict__ a, const float *__restrict__ b,
                                            float *__restrict__ c, uint32_t m, uint32_t n, uint32_t k)
{
    __shared__ float ta[16][16], tb[16][16];
    uint32_t tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (uint32_t begin = 0; begin < k; begin += 16) {
        ta[ty][tx] = row < m && begin + tx < k ? a[row * k + begin + tx] : 0.0f;
        tb[ty][tx] = begin + ty < k && column < n ? b[(begin + ty) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += ta[ty][i] * tb[i][tx];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

__global__ void __launch_bounds__(64) rotary(const float *__restrict__ x, const int *__restrict__ positions,
                                             float *__restrict__ y, uint32_t heads, uint32_t size, float base)
{
    uint32_t i = blockIdx.x * 64 + threadIdx.x, token = blockIdx.z, pairs = size / 2;
    if (i >= pairs)
        return;
    uint32_t at = (token * heads + blockIdx.y) * size + i;
    float angle = (float)positions[token] * powf(base, -2.0f * (float)i / (float)size), c, s;
    sincosf(angle, &s, &c);
    float first = x[at], second = x[at + pairs];
    y[at]         = first * c - second * s;
    y[at + pairs] = first * s + second * c;
}

__global__ void __launch_bounds__(256) depthwise(const float *__restrict__ image, const float *__restrict__ weights,
                                                 const float *__restrict__ bias, float *__restrict__ result, int width,
                                                 int height)
{
    int x = (int)(blockIdx.x * 16 + threadIdx.x), y = (int)(blockIdx.y * 16 + threadIdx.y), channel = (int)blockIdx.z;
    if (x >= width || y >= height)
        return;
    float sum = bias[channel];
#pragma unroll
    for (int j = 0; j < 3; j++) {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            int px = x + i - 1, py = y + j - 1;
            if (px >= 0 && px < width && py >= 0 && py < height)
                sum += weights[channel * 9 + j * 3 + i] * image[(channel * height + py) * width + px];
        }
    }
    result[(channel * height + y) * width + x] = fminf(fmaxf(sum, 0.0f), 6.0f);
}

__global__ void __launch_bounds__(256) n_body(const float4 *__restrict__ bodies, const float4 *__restrict__ speeds,
                                              float4 *__restrict__ new_bodies, float4 *__restrict__ new_speeds,
                                              uint32_t n, float step, float softening)
{
    __shared__ float4 tile[256];
    uint32_t i = blockIdx.x * 256 + threadIdx.x;
    float4 own = bodies[i], force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (uint32_t begin = 0; begin < n; begin += 256) {
        tile[threadIdx.x] = bodies[begin + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            float4 other = tile[j];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float r  = rsqrtf(dx * dx + dy * dy + dz * dz + softening), by = other.w * r * r * r;
            force.x += dx * by;
            force.y += dy * by;
            force.z += dz * by;
        }
        __syncthreads();
    }
    float4 speed  = speeds[i];
    speed         = make_float4(speed.x + force.x * step, speed.y + force.y * step, speed.z + force.z * step, 0.0f);
    new_speeds[i] = speed;
    new_bodies[i] = make_float4(own.x + speed.x * step, own.y + speed.y * step, own.z + speed.z * step, own.w);
}

__global__ void __launch_bounds__(1024) argsort(const float *__restrict__ x, int *__restrict__ order)
{
    __shared__ int columns[1024];
    int c = (int)threadIdx.x;
    x += (size_t)blockIdx.x * 1024;
    columns[c] = c;
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int other = c ^ j;
            if (other > c) {
                int a = columns[c], b = columns[other];
                if ((c & k) == 0 ? x[a] > x[b] : x[a] < x[b]) {
                    columns[c]     = b;
                    columns[other] = a;
                }
            }
            __syncthreads();
        }
    }
    order[(size_t)blockIdx.x * 1024 + c] = columns[c];
}

static __device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
static __device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
static __device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

__global__ void __launch_bounds__(256) fft(const float2 *__restrict__ x, float2 *__restrict__ y)
{
    __shared__ float2 row[1024];
    int i = (int)threadIdx.x;
    x += (size_t)blockIdx.x * 1024;
    y += (size_t)blockIdx.x * 1024;
    float2 a = x[i], b = x[i + 256], c = x[i + 512], d = x[i + 768];
#pragma unroll
    for (int p = 1; p < 1024; p *= 4) {
        int k = i & (p - 1);
        float2 w;
        sincosf(-6.283185307f * (float)k / (float)(4 * p), &w.y, &w.x);
        float2 w2 = times(w, w);
        b         = times(b, w);
        c         = times(c, w2);
        d         = times(d, times(w2, w));
        float2 ac = a + c, amc = a - c, bd = b + d, bmd = make_float2(b.y - d.y, d.x - b.x);
        int to          = (i - k) * 4 + k;
        row[to]         = ac + bd;
        row[to + p]     = amc + bmd;
        row[to + 2 * p] = ac - bd;
        row[to + 3 * p] = amc - bmd;
        __syncthreads();
        a = row[i];
        b = row[i + 256];
        c = row[i + 512];
        d = row[i + 768];
        __syncthreads();
    }
    y[i]       = a;
    y[i + 256] = b;
    y[i + 512] = c;
    y[i + 768] = d;
}

__global__ void __launch_bounds__(256) warp(cudaTextureObject_t image, cudaSurfaceObject_t result, int width,
                                            int height, float c, float s)
{
    int x = (int)(blockIdx.x * 16 + threadIdx.x), y = (int)(blockIdx.y * 16 + threadIdx.y);
    if (x >= width || y >= height)
        return;
    float w = (float)width, h = (float)height;
    float dx = (float)x + 0.5f - 0.5f * w, dy = (float)y + 0.5f - 0.5f * h;
    float4 v = tex2D<float4>(image, (c * dx - s * dy) / w + 0.5f, (s * dx + c * dy) / h + 0.5f);
    uchar4 bytes = make_uchar4((unsigned char)__float2uint_rn(v.x * 255.0f), (unsigned char)__float2uint_rn(v.y * 255.0f),
                               (unsigned char)__float2uint_rn(v.z * 255.0f), (unsigned char)__float2uint_rn(v.w * 255.0f));
    surf2Dwrite(bytes, result, x * 4, y);
}

#endif
