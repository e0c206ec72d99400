/* The suite "wild" in OpenCL C: the same kernels as the .comp files beside this one. */

struct block {
    half scale;
    ushort quads[8];
};

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void q4_matvec(__global const struct block *restrict w, __global const float *restrict x, __global float *restrict y,
               uint columns)
{
    __local float sums[64];
    uint row = get_group_id(0), t = get_local_id(0), blocks = columns / 32;
    float sum = 0.0f;

    for (uint b = t; b < blocks; b += 64) {
        __global const struct block *at = w + row * blocks + b;
        float part = 0.0f;
        for (uint i = 0; i < 8; i++) {
            uint q = at->quads[i], c = b * 32 + 2 * i;
            part += ((float)(q & 15) - 8.0f) * x[c] + ((float)(q >> 8 & 15) - 8.0f) * x[c + 1] +
                    ((float)(q >> 4 & 15) - 8.0f) * x[c + 16] + ((float)(q >> 12) - 8.0f) * x[c + 17];
        }
        sum += vload_half(0, &at->scale) * part;
    }
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 32; k > 0; k >>= 1) {
        if (t < k)
            sums[t] += sums[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        y[row] = sums[0];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void softmax(__global const float *restrict x, __global float *restrict y, uint columns, float scale)
{
    __local float part[256];
    uint t = get_local_id(0), row = get_group_id(0) * columns;

    float most = -3.4e38f;
    for (uint c = t; c < columns; c += 256)
        most = fmax(most, x[row + c] * scale);
    part[t] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 128; k > 0; k >>= 1) {
        if (t < k)
            part[t] = fmax(part[t], part[t + k]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (uint c = t; c < columns; c += 256) {
        float e = exp(x[row + c] * scale - most);
        y[row + c] = e;
        sum += e;
    }
    part[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 128; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float factor = 1.0f / part[0];
    for (uint c = t; c < columns; c += 256)
        y[row + c] *= factor;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void layer_norm(__global const float *restrict x, __global const float *restrict gain,
                __global const float *restrict bias, __global float *restrict y, uint columns, float epsilon)
{
    __local float part[256];
    uint t = get_local_id(0), row = get_group_id(0) * columns;

    float sum = 0.0f;
    for (uint c = t; c < columns; c += 256)
        sum += x[row + c];
    part[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 128; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = part[0] / (float)columns;
    barrier(CLK_LOCAL_MEM_FENCE);

    float squares = 0.0f;
    for (uint c = t; c < columns; c += 256) {
        float d = x[row + c] - mean;
        squares += d * d;
    }
    part[t] = squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 128; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float factor = rsqrt(part[0] / (float)columns + epsilon);

    for (uint c = t; c < columns; c += 256)
        y[row + c] = (x[row + c] - mean) * factor * gain[c] + bias[c];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void im2col(__global const float *restrict image, __global float *restrict columns, int width, int height)
{
    int pixel = get_global_id(0), row = get_global_id(1);
    if (pixel >= width * height)
        return;
    int channel = row / 9, place = row % 9;
    int x = pixel % width + place % 3 - 1, y = pixel / width + place / 3 - 1;
    float value = 0.0f;
    if (x >= 0 && x < width && y >= 0 && y < height)
        value = image[(channel * height + y) * width + x];
    columns[row * width * height + pixel] = value;
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void gemm(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, uint m,
          uint n, uint k)
{
    __local float ta[16][16], tb[16][16];
    uint tx = get_local_id(0), ty = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;

    for (uint begin = 0; begin < k; begin += 16) {
        ta[ty][tx] = row < m && begin + tx < k ? a[row * k + begin + tx] : 0.0f;
        tb[ty][tx] = begin + ty < k && column < n ? b[(begin + ty) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < 16; i++)
            sum += ta[ty][i] * tb[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void rotary(__global const float *restrict x, __global const int *restrict positions, __global float *restrict y,
            uint heads, uint size, float base)
{
    uint i = get_global_id(0), head = get_global_id(1), token = get_global_id(2), pairs = size / 2;
    if (i >= pairs)
        return;
    uint at = (token * heads + head) * size + i;
    float angle = (float)positions[token] * pow(base, -2.0f * (float)i / (float)size);
    float c = cos(angle), s = sin(angle), first = x[at], second = x[at + pairs];
    y[at] = first * c - second * s;
    y[at + pairs] = first * s + second * c;
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void depthwise(__global const float *restrict image, __global const float *restrict weights,
               __global const float *restrict bias, __global float *restrict result, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), channel = get_global_id(2);
    if (x >= width || y >= height)
        return;
    float sum = bias[channel];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            int px = x + i - 1, py = y + j - 1;
            if (px < 0 || px >= width || py < 0 || py >= height)
                continue;
            sum += weights[channel * 9 + j * 3 + i] * image[(channel * height + py) * width + px];
        }
    }
    result[(channel * height + y) * width + x] = clamp(sum, 0.0f, 6.0f);
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void n_body(__global const float4 *restrict bodies, __global const float4 *restrict speeds,
            __global float4 *restrict new_bodies, __global float4 *restrict new_speeds, uint n, float step,
            float softening)
{
    __local float4 tile[256];
    uint i = get_global_id(0), t = get_local_id(0);
    float4 own = bodies[i];
    float3 force = (float3)(0.0f);

    for (uint begin = 0; begin < n; begin += 256) {
        tile[t] = bodies[begin + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 256; j++) {
            float4 other = tile[j];
            float3 d = other.xyz - own.xyz;
            float r = rsqrt(dot(d, d) + softening);
            force += d * (other.w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 speed = speeds[i].xyz + force * step;
    new_speeds[i] = (float4)(speed, 0.0f);
    new_bodies[i] = (float4)(own.xyz + speed * step, own.w);
}

__kernel __attribute__((reqd_work_group_size(1024, 1, 1)))
void argsort(__global const float *restrict x, __global int *restrict order)
{
    __local int columns[1024];
    uint c = get_local_id(0), row = get_group_id(0) * 1024;

    columns[c] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 2; k <= 1024; k *= 2) {
        for (uint j = k / 2; j > 0; j /= 2) {
            uint other = c ^ j;
            if (other > c) {
                int a = columns[c], b = columns[other];
                bool ascending = (c & k) == 0;
                if (ascending ? x[row + a] > x[row + b] : x[row + a] < x[row + b]) {
                    columns[c] = b;
                    columns[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    order[row + c] = columns[c];
}

static float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fft(__global const float2 *restrict x, __global float2 *restrict y)
{
    __local float2 row[1024];
    uint i = get_local_id(0), begin = get_group_id(0) * 1024;
    float2 a = x[begin + i], b = x[begin + i + 256], c = x[begin + i + 512], d = x[begin + i + 768];

    for (uint p = 1; p < 1024; p *= 4) {
        uint k = i & (p - 1);
        float angle = -6.283185307f * (float)k / (float)(4 * p);
        float2 w = (float2)(cos(angle), sin(angle)), w2 = times(w, w);
        b = times(b, w);
        c = times(c, w2);
        d = times(d, times(w2, w));
        float2 ac = a + c, amc = a - c, bd = b + d, bmd = (float2)(b.y - d.y, d.x - b.x);
        uint to = (i - k) * 4 + k;
        row[to] = ac + bd;
        row[to + p] = amc + bmd;
        row[to + 2 * p] = ac - bd;
        row[to + 3 * p] = amc - bmd;
        barrier(CLK_LOCAL_MEM_FENCE);
        a = row[i];
        b = row[i + 256];
        c = row[i + 512];
        d = row[i + 768];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[begin + i] = a;
    y[begin + i + 256] = b;
    y[begin + i + 512] = c;
    y[begin + i + 768] = d;
}

__constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void warp(read_only image2d_t image, write_only image2d_t result, int width, int height, float c, float s)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    if (p.x >= width || p.y >= height)
        return;
    float2 size = (float2)(width, height), d = convert_float2(p) + 0.5f - 0.5f * size;
    float2 from = (float2)(c * d.x - s * d.y, s * d.x + c * d.y) / size + 0.5f;
    write_imagef(result, p, read_imagef(image, linear, from));
}
