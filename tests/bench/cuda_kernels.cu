/* The built-in kernels on the cuda backend beside kernels that were written by hand in CUDA, in one process
 * and turn by turn: the suite "cuda_kernel". Amounts are what must be read and written, in GB/s, beside the
 * rate of a copy within the device; or GFLOP/s, beside cuBLAS where it can be opened. Built with nvcc: make
 * tests/bench/cuda_kernels.
 *
 *     cuda_kernels [--table] [NAME...]     --table: a table for people instead of lines for run-bench
 * SPDX-License-Identifier: MIT
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <vector>

#include <trireme/trireme.h>

#include "cuda_by_hand.cuh"
#include "measure.h"

static const unsigned COUNT = 64u << 20, SIDE = 8192, ROWS = 65536, COLUMNS = 1000;
static const int ROUNDS = 7;
static const double ENOUGH_NS = 8e6; /* of a sample */

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;
static cudaStream_t hand_stream;
static bool table;

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "trireme: %s\n", trm_last_error().sentence);
    exit(1);
}

static void must(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(1);
}

/* ---- what is measured ------------------------------------------------------------------------------- */

/* C, of m x n, is a product of matrices of m x k and k x n, of floats or halves. */
struct product {
    unsigned m, n, k;
    bool is_half;
};

struct work {
    std::string name;   /* in the report */
    const char *kernel; /* installed */
    bool by_words;      /* from its words: never what lies beside it; with matrices where there is such a form */
    std::vector<trm_constant> constants;
    double amount;             /* bytes or operations */
    bool is_flops;
    uint64_t items[3];
    std::vector<size_t> sizes; /* bytes of the buffers, in the parameters' order; they are shared by all */
    std::vector<trm_argument> values;
    std::function<void(std::vector<void *> &)> hand; /* nothing: there is none */
    product product;                                 /* zeros: it is none */
};

static void *hand_memory[5];
static trm_buffer *buffers[5];

static double time_of(const std::function<void()> &enqueue, const std::function<void()> &wait, double amount)
{
    enqueue();
    wait();
    uint64_t begin = measure_now();
    enqueue();
    wait();
    double once = (double)(measure_now() - begin);
    int times   = once < ENOUGH_NS / 400 ? 400 : (int)(ENOUGH_NS / once) + 1;
    begin       = measure_now();
    for (int i = 0; i < times; i++)
        enqueue();
    wait();
    return amount * times / (double)(measure_now() - begin);
}

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

static std::vector<char> read_file(const std::string &path)
{
    std::vector<char> bytes;
    FILE *file = fopen(path.c_str(), "rb");
    char piece[65536];
    size_t count;
    while (file && (count = fread(piece, 1, sizeof(piece), file)) > 0)
        bytes.insert(bytes.end(), piece, piece + count);
    if (file)
        fclose(file);
    return bytes;
}

static int32_t find_path(void *user, const struct trm_shader_place *place)
{
    auto *wanted = (std::pair<std::string, std::string> *)user;
    if (wanted->first == place->name)
        wanted->second = place->path;
    return TRM_OK;
}

static trm_kernel *load(const work &work)
{
    trm_kernel *kernel;
    if (!work.by_words) {
        must(trm_kernel_named(device, work.kernel, work.constants.data(), (uint32_t)work.constants.size(),
                              &kernel));
        return kernel;
    }
    std::pair<std::string, std::string> wanted(work.kernel, "");
    must(trm_shader_list(context, find_path, &wanted));
    std::vector<char> bytes = read_file(wanted.second.substr(0, wanted.second.size() - 4) + ".matrix.spv");
    if (bytes.empty())
        bytes = read_file(wanted.second);
    trm_module_desc desc    = {};
    desc.struct_size        = sizeof(desc);
    desc.format             = TRM_MODULE_SPIRV;
    desc.data               = bytes.data();
    desc.size               = bytes.size();
    desc.name               = work.kernel;
    trm_module *module;
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

static double copy_rate()
{
    size_t bytes = (size_t)COUNT * 4;
    return time_of(
        [&] {
            must(cudaMemcpyAsync(hand_memory[1], hand_memory[0], bytes, cudaMemcpyDeviceToDevice,
                                 hand_stream));
        },
        [] { must(cudaStreamSynchronize(hand_stream)); }, 2.0 * (double)bytes);
}

static void report(const work &work, std::vector<double> ours, std::vector<double> theirs,
                   std::vector<double> copies, const char *peer)
{
    const char *unit = work.is_flops ? "GFLOP/s" : "GB/s";
    if (table) {
        double our = median(ours), their = theirs.empty() ? 0 : median(theirs);
        printf("%-28s %9.1f %-8s %9.1f  x%.3f", work.name.c_str(), our, unit, their, their > 0 ? our / their : 0.0);
        if (work.is_flops)
            printf("\n");
        else
            printf("   %.3f of the copy (%.1f)\n", our / median(copies), median(copies));
        fflush(stdout);
        return;
    }
    measure_print("cuda_kernel", work.name.c_str(), "cuda", unit, ours.data(), ours.size());
    if (!theirs.empty())
        measure_print("cuda_kernel", work.name.c_str(), peer, unit, theirs.data(), theirs.size());
}

static void measure(const work &work)
{
    trm_kernel *kernel = load(work);
    trm_grid grid;
    std::vector<trm_argument> arguments;
    std::vector<void *> pointers;
    std::vector<double> ours, theirs, copies;

    for (size_t i = 0; i < work.sizes.size(); i++) {
        arguments.push_back(trm_arg_span(trm_span_of(buffers[i], 0, work.sizes[i])));
        pointers.push_back(hand_memory[i]);
    }
    arguments.insert(arguments.end(), work.values.begin(), work.values.end());
    must(trm_kernel_grid(kernel, work.items[0], work.items[1], work.items[2], &grid));
    auto own_enqueue = [&] {
        must(trm_launch(stream, kernel, &grid, arguments.data(), (uint32_t)arguments.size()));
    };
    auto own_wait   = [] { must(trm_stream_sync(stream)); };
    auto hand_wait  = [] { must(cudaStreamSynchronize(hand_stream)); };
    auto hand_queue = [&] {
        work.hand(pointers);
        must(cudaGetLastError());
    };
    for (int i = 0; i < ROUNDS; i++) {
        ours.push_back(time_of(own_enqueue, own_wait, work.amount));
        if (work.hand)
            theirs.push_back(time_of(hand_queue, hand_wait, work.amount));
        if (!work.is_flops)
            copies.push_back(copy_rate());
    }
    report(work, ours, theirs, copies, work.is_flops ? "cublas" : "cuda_by_hand");
    trm_kernel_destroy(kernel);
}

/* ---- cuBLAS, where it is ---------------------------------------------------------------------------- */

typedef int (*cublas_create)(void **handle);
typedef int (*cublas_set_stream)(void *handle, cudaStream_t stream);
typedef int (*cublas_sgemm)(void *handle, int, int, int m, int n, int k, const float *alpha, const float *a,
                            int, const float *b, int, const float *beta, float *c, int);
typedef int (*cublas_gemm_ex)(void *handle, int, int, int m, int n, int k, const void *alpha, const void *a,
                              int type_a, int, const void *b, int type_b, int, const void *beta, void *c,
                              int type_c, int, int compute, int algorithm);
enum { CUBLAS_32F = 0, CUBLAS_16F = 2, CUBLAS_COMPUTE_IN_32F = 68, CUBLAS_DEFAULT = -1 };

static struct {
    void *handle;
    cublas_sgemm sgemm;
    cublas_gemm_ex gemm_ex;
} cublas;

static void open_cublas()
{
    void *library = nullptr;
    for (const char *name : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13",
                             "/usr/local/cuda/lib64/libcublas.so"})
        if (!library)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    auto create    = (cublas_create)dlsym(library, "cublasCreate_v2");
    auto put       = (cublas_set_stream)dlsym(library, "cublasSetStream_v2");
    cublas.sgemm   = (cublas_sgemm)dlsym(library, "cublasSgemm_v2");
    cublas.gemm_ex = (cublas_gemm_ex)dlsym(library, "cublasGemmEx");
    if (!create || !put || !cublas.sgemm || !cublas.gemm_ex || create(&cublas.handle) != 0 ||
        put(cublas.handle, hand_stream) != 0)
        cublas.handle = nullptr;
}

/* Rows side by side are columns of the transposed: C' = B' A'. */
static void multiply_by_cublas(const product &of, std::vector<void *> &p)
{
    const float one = 1.0f, none = 0.0f;
    const int m = (int)of.m, n = (int)of.n, k = (int)of.k;
    int result = of.is_half
                     ? cublas.gemm_ex(cublas.handle, 0, 0, n, m, k, &one, p[1], CUBLAS_16F, n, p[0], CUBLAS_16F, k,
                                      &none, p[2], CUBLAS_32F, n, CUBLAS_COMPUTE_IN_32F, CUBLAS_DEFAULT)
                     : cublas.sgemm(cublas.handle, 0, 0, n, m, k, &one, (const float *)p[1], n,
                                    (const float *)p[0], k, &none, (float *)p[2], n);
    if (result != 0)
        measure_fail("cuBLAS failed");
}

/* ---- the list --------------------------------------------------------------------------------------- */

#define U(value) trm_arg_u32(value)
#define F(value) trm_arg_f32(value)
#define GRID(count) ((unsigned)(((count) + 255) / 256)), 256, 0, hand_stream

template <class G> static std::function<void(std::vector<void *> &)> by_map(G f)
{
    return [=](std::vector<void *> &p) {
        map1<<<GRID(COUNT / 4)>>>((const float4 *)p[0], (float4 *)p[1], COUNT / 4, f);
    };
}

struct negate { __device__ float operator()(float v) const { return -v; } };
struct root { __device__ float operator()(float v) const { return sqrtf(v); } };
struct exponential { __device__ float operator()(float v) const { return expf(v); } };
struct gelu {
    __device__ float operator()(float v) const
    {
        return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
};
struct step { __device__ float operator()(float v) const { return v > 0.5f ? 1.0f : 0.0f; } };
struct power {
    float exponent; /* not known to the compiler */
    __device__ float operator()(float v) const { return v > 0.0f ? powf(v, exponent) : 0.0f; }
};

static work multiplication(const product &of, bool by_words)
{
    const unsigned tile = of.is_half ? 128 : 64, items = of.is_half ? 256 : 16; /* of a group: in x */
    const uint64_t wide = (of.n + tile - 1) / tile, high = (of.m + tile - 1) / tile;
    const size_t element = of.is_half ? 2 : 4;
    work made            = {of.is_half ? "gemm_f16" : "sgemm", of.is_half ? "gemm_f16" : "sgemm"};
    if (of.m != 4096)
        made.name += "_" + std::to_string(of.m) + "x" + std::to_string(of.n) + "x" + std::to_string(of.k);
    if (by_words)
        made.name += "_translated";
    made.by_words = by_words;
    made.amount   = 2.0 * of.m * of.n * of.k;
    made.is_flops = true;
    made.product  = of;
    made.items[0] = wide * items;
    made.items[1] = of.is_half ? high : high * 16;
    made.items[2] = 1;
    made.sizes    = {element * of.m * of.k, element * of.k * of.n, (size_t)4 * of.m * of.n};
    made.values   = {U(of.m), U(of.n), U(of.k), F(1.0f), F(0.0f)};
    if (cublas.handle)
        made.hand = [of](std::vector<void *> &p) { multiply_by_cublas(of, p); };
    return made;
}

static std::vector<work> list()
{
    const size_t N = (size_t)COUNT * 4;
    const size_t IMAGE = (size_t)SIDE * SIDE * 4;
    const double n = (double)N, image = (double)IMAGE;
    const unsigned third = COUNT / 4; /* pixels of three */
    auto constant = [](const char *name, unsigned value) { return trm_constant_u32(name, value); };
    dim3 tiles((SIDE + 63) / 64, (SIDE + 3) / 4), block(64, 4);
    std::vector<work> all;
    all.push_back({"axpy", "axpy", false, {}, 3 * n, false, {COUNT, 1, 1}, {N, N}, {F(1.5f), U(COUNT)},
                   [=](std::vector<void *> &p) { hand_axpy<<<GRID(COUNT / 4)>>>((const float4 *)p[0], (float4 *)p[1], 1.5f, COUNT / 4); }});
    all.push_back({"axpy_scalar", "axpy", false, {}, 3 * n, false, {COUNT, 1, 1}, {N, N}, {F(1.5f), U(COUNT)},
                   [=](std::vector<void *> &p) { hand_axpy_scalar<<<GRID(COUNT)>>>((const float *)p[0], (float *)p[1], 1.5f, COUNT); }});
    all.push_back({"add", "binary", false, {}, 3 * n, false, {COUNT, 1, 1}, {N, N, N}, {U(COUNT)},
                   [=](std::vector<void *> &p) { hand_add<<<GRID(COUNT / 4)>>>((const float4 *)p[0], (const float4 *)p[1], (float4 *)p[2], COUNT / 4); }});
    all.push_back({"fill", "fill", false, {}, n, false, {COUNT, 1, 1}, {N}, {F(2.0f), U(COUNT)},
                   [=](std::vector<void *> &p) { hand_fill<<<GRID(COUNT / 4)>>>((float4 *)p[0], 2.0f, COUNT / 4); }});
    all.push_back({"negate", "unary", false, {}, 2 * n, false, {COUNT, 1, 1}, {N, N}, {U(COUNT)}, by_map(negate())});
    all.push_back({"sqrt", "unary", false, {constant("operation", 2)}, 2 * n, false, {COUNT, 1, 1}, {N, N}, {U(COUNT)}, by_map(root())});
    all.push_back({"exp", "unary", false, {constant("operation", 4)}, 2 * n, false, {COUNT, 1, 1}, {N, N}, {U(COUNT)}, by_map(exponential())});
    all.push_back({"gelu", "unary", false, {constant("operation", 11)}, 2 * n, false, {COUNT, 1, 1}, {N, N}, {U(COUNT)}, by_map(gelu())});
    all.push_back({"threshold", "threshold", false, {}, 2 * n, false, {COUNT, 1, 1}, {N, N}, {F(0.5f), F(0.0f), F(1.0f), U(COUNT)}, by_map(step())});
    all.push_back({"gamma", "gamma", false, {}, 2 * n, false, {COUNT, 1, 1}, {N, N}, {F(2.2f), U(COUNT)}, by_map(power{2.2f})});
    all.push_back({"convert_u8_f32", "convert_u8_f32", false, {}, 1.25 * n, false, {COUNT, 1, 1}, {COUNT, N}, {F(0.5f), F(1.0f), U(COUNT)},
                   [=](std::vector<void *> &p) { hand_u8_f32<<<GRID(COUNT / 4)>>>((const uchar4 *)p[0], (float4 *)p[1], 0.5f, 1.0f, COUNT / 4); }});
    all.push_back({"convert_f32_u8", "convert_f32_u8", false, {}, 1.25 * n, false, {COUNT, 1, 1}, {N, COUNT}, {F(0.5f), F(1.0f), U(COUNT)},
                   [=](std::vector<void *> &p) { hand_f32_u8<<<GRID(COUNT / 4)>>>((const float4 *)p[0], (uchar4 *)p[1], 0.5f, 1.0f, COUNT / 4); }});
    all.push_back({"gray", "gray", false, {}, 16.0 * third, false, {third, 1, 1}, {(size_t)third * 12, (size_t)third * 4}, {U(third)},
                   [=](std::vector<void *> &p) { hand_gray<<<GRID(third)>>>((const float *)p[0], (float *)p[1], third); }});
    all.push_back({"alpha_blend", "alpha_blend", false, {}, 3 * n, false, {COUNT / 4, 1, 1}, {N, N, N}, {U(COUNT / 4)},
                   [=](std::vector<void *> &p) { hand_blend<<<GRID(COUNT / 4)>>>((const float4 *)p[0], (const float4 *)p[1], (float4 *)p[2], COUNT / 4); }});
    all.push_back({"rgb_to_yuv_u8", "rgb_to_yuv_u8", false, {}, 6.0 * COUNT, false, {COUNT, 1, 1}, {(size_t)COUNT * 3, (size_t)COUNT * 3}, {U(COUNT)}, nullptr});
    all.push_back({"sgd", "sgd", false, {}, 5 * n, false, {COUNT, 1, 1}, {N, N, N}, {F(1e-9f), F(0.5f), F(1e-9f), U(COUNT)},
                   [=](std::vector<void *> &p) { hand_sgd<<<GRID(COUNT / 4)>>>((const float4 *)p[0], (float4 *)p[1], (float4 *)p[2], 1e-9f, 0.5f, 1e-9f, COUNT / 4); }});
    all.push_back({"box_blur3x3", "box_blur3x3", false, {}, 2 * image, false, {SIDE, SIDE, 1}, {IMAGE, IMAGE}, {U(SIDE), U(SIDE)},
                   [=](std::vector<void *> &p) { hand_box3<<<tiles, block, 0, hand_stream>>>((const float *)p[0], (float *)p[1], SIDE, SIDE); }});
    all.push_back({"sobel", "sobel", false, {}, 2 * image, false, {SIDE, SIDE, 1}, {IMAGE, IMAGE}, {U(SIDE), U(SIDE)},
                   [=](std::vector<void *> &p) { hand_sobel<<<tiles, block, 0, hand_stream>>>((const float *)p[0], (float *)p[1], SIDE, SIDE); }});
    all.push_back({"convolve3x3", "convolve3x3", false, {}, 2 * image, false, {SIDE, SIDE, 1}, {IMAGE, 36, IMAGE}, {U(SIDE), U(SIDE)},
                   [=](std::vector<void *> &p) { hand_convolve3<<<tiles, block, 0, hand_stream>>>((const float *)p[0], (const float *)p[1], (float *)p[2], SIDE, SIDE); }});
    all.push_back({"box_blur_r8", "box_blur", false, {}, 2 * image, false, {SIDE, SIDE, 1}, {IMAGE, IMAGE}, {U(SIDE), U(SIDE), U(8)},
                   [=](std::vector<void *> &p) { hand_row_blur<false><<<dim3(SIDE / 256, SIDE), 256, 0, hand_stream>>>((const float *)p[0], (float *)p[1], SIDE, SIDE, 8, 3.0f); }});
    all.push_back({"gaussian_blur_r8", "gaussian_blur", false, {}, 2 * image, false, {SIDE, SIDE, 1}, {IMAGE, IMAGE}, {U(SIDE), U(SIDE), U(8), F(3.0f)},
                   [=](std::vector<void *> &p) { hand_row_blur<true><<<dim3(SIDE / 256, SIDE), 256, 0, hand_stream>>>((const float *)p[0], (float *)p[1], SIDE, SIDE, 8, 3.0f); }});
    all.push_back({"transpose", "transpose", false, {}, 2 * image, false, {SIDE, SIDE / 4, 1}, {IMAGE, IMAGE}, {U(SIDE), U(SIDE)},
                   [=](std::vector<void *> &p) { hand_transpose<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8), 0, hand_stream>>>((const float *)p[0], (float *)p[1], SIDE, SIDE); }});
    all.push_back({"resize_bilinear", "resize_bilinear", false, {}, 1.25 * image, false, {SIDE, SIDE, 1}, {IMAGE / 4, IMAGE}, {U(SIDE / 2), U(SIDE / 2), U(SIDE), U(SIDE)}, nullptr});
    auto reduce = [=](std::vector<void *> &p) { hand_reduce<<<COUNT / 4096, 256, 0, hand_stream>>>((const float4 *)p[0], (float *)p[1]); };
    all.push_back({"reduce", "reduce", false, {}, n, false, {COUNT / 16, 1, 1}, {N, COUNT / 4096 * 4}, {U(COUNT)}, reduce});
    all.push_back({"reduce_translated", "reduce", true, {}, n, false, {COUNT / 16, 1, 1}, {N, COUNT / 4096 * 4}, {U(COUNT)}, reduce});
    all.push_back({"scan", "scan", false, {}, 2 * n, false, {(COUNT + 6) / 7, 1, 1}, {N, N, COUNT / 1792 * 4 + 4}, {U(COUNT)},
                   [=](std::vector<void *> &p) { hand_scan<<<COUNT / 2048, 256, 0, hand_stream>>>((const float *)p[0], (float *)p[1], (float *)p[2]); }});
    all.push_back({"scan_translated", "scan", true, {}, 2 * n, false, {(COUNT + 6) / 7, 1, 1}, {N, N, COUNT / 1792 * 4 + 4}, {U(COUNT)},
                   [=](std::vector<void *> &p) { hand_scan<<<COUNT / 2048, 256, 0, hand_stream>>>((const float *)p[0], (float *)p[1], (float *)p[2]); }});
    all.push_back({"histogram", "histogram", false, {}, (double)N, false, {N / 64, 1, 1}, {N, 1024}, {U((unsigned)N)},
                   [=](std::vector<void *> &p) { hand_histogram<<<132 * 8, 256, 0, hand_stream>>>((const uint4 *)p[0], (unsigned *)p[1], COUNT / 4); }});
    all.push_back({"histogram_translated", "histogram", true, {}, (double)N, false, {N / 64, 1, 1}, {N, 1024}, {U((unsigned)N)},
                   [=](std::vector<void *> &p) { hand_histogram<<<132 * 8, 256, 0, hand_stream>>>((const uint4 *)p[0], (unsigned *)p[1], COUNT / 4); }});
    all.push_back({"softmax_cross_entropy", "softmax_cross_entropy", false, {}, 12.0 * ROWS * COLUMNS, false, {(uint64_t)ROWS * 256, 1, 1},
                   {(size_t)ROWS * COLUMNS * 4, ROWS * 4, (size_t)ROWS * COLUMNS * 4, ROWS * 4, (size_t)ROWS * COLUMNS * 4}, {U(COLUMNS), F(1.0f)}, nullptr});
    for (bool is_half : {false, true})
        for (product of : {product{4096, 4096, 4096}, product{1000, 777, 513}, product{64, 4096, 4096}})
            for (bool by_words : {false, true}) {
                of.is_half = is_half;
                all.push_back(multiplication(of, by_words));
            }
    return all;
}

static void fill_products(const work &work, const std::vector<float> &numbers)
{
    std::vector<__half> halves;
    size_t count     = (size_t)4096 * 4096;
    const void *data = numbers.data();
    if (work.product.is_half) {
        for (size_t i = 0; i < count; i++)
            halves.push_back(__float2half(numbers[i]));
        data = halves.data();
    }
    const size_t bytes = count * (work.product.is_half ? 2 : 4);
    for (int i = 0; i < 2; i++) { /* others have written here */
        must(cudaMemcpy(hand_memory[i], data, bytes, cudaMemcpyHostToDevice));
        must(trm_upload(stream, trm_span_of(buffers[i], 0, bytes), data));
        must(trm_stream_sync(stream));
    }
}

/* A fast wrong answer is no figure: what the two say of a row. */
static void check_product(const work &work)
{
    const product &of = work.product;
    const size_t row  = of.m / 2;
    std::vector<float> ours(of.n), theirs(of.n);
    std::vector<void *> pointers(hand_memory, hand_memory + 3);
    if (of.m == 0 || !work.hand)
        return;
    must(trm_download(stream, ours.data(), trm_span_of(buffers[2], (uint64_t)row * of.n * 4, of.n * 4)));
    must(trm_stream_sync(stream));
    work.hand(pointers);
    must(cudaMemcpyAsync(theirs.data(), (const float *)hand_memory[2] + row * of.n, of.n * 4,
                         cudaMemcpyDeviceToHost, hand_stream));
    must(cudaStreamSynchronize(hand_stream));
    for (unsigned i = 0; i < of.n; i++)
        if (!(std::abs(ours[i] - theirs[i]) <= 1e-3f * std::abs(theirs[i]) + 1e-3f))
            measure_fail("the products differ");
}

int main(int argc, char **argv)
{
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--table") == 0)
            table = true;
        else
            wanted.push_back(argv[i]);
    }
    trm_context_desc desc = {};
    trm_setting backend   = {"backend", "cuda"};
    desc.struct_size      = sizeof(desc);
    desc.settings         = &backend;
    desc.setting_count    = 1;
    must(trm_context_create(&desc, &context));
    must(trm_device_open(context, "cuda", &device));
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
    must(cudaStreamCreateWithFlags(&hand_stream, cudaStreamNonBlocking));
    std::vector<float> numbers((size_t)COUNT);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (float)(i * 2654435761u % 1024) / 1024;
    for (int i = 0; i < 5; i++) {
        must(cudaMalloc(&hand_memory[i], (size_t)COUNT * 4));
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, (uint64_t)COUNT * 4, &buffers[i]));
        must(cudaMemcpy(hand_memory[i], numbers.data(), (size_t)COUNT * 4, cudaMemcpyHostToDevice));
        must(trm_upload(stream, trm_span_whole(buffers[i]), numbers.data()));
        must(trm_stream_sync(stream));
    }
    if (!table) {
        std::vector<double> copies;
        for (int i = 0; i < ROUNDS; i++)
            copies.push_back(copy_rate());
        measure_print("cuda_kernel", "copy_device", "cuda_by_hand", "GB/s", copies.data(), copies.size());
    }
    open_cublas();
    for (const work &work : list()) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), work.name) == wanted.end())
            continue;
        if (work.kernel == std::string("softmax_cross_entropy")) /* labels are numbers of columns */
            must(trm_fill(stream, trm_span_of(buffers[1], 0, ROWS * 4), 0, 4));
        if (work.product.m != 0)
            fill_products(work, numbers);
        measure(work);
        check_product(work);
    }
    return 0;
}
