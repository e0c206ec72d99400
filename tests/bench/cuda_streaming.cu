/* Forms of kernels that read a buffer and write another, element by element: by hand, in one process and turn
 * by turn. It shows what the translator should emit. Needs a GPU of compute capability 9.0. Built with nvcc:
 *
 *     make tests/bench/cuda_streaming && tests/bench/cuda_streaming [NAME...]
 *
 *     plain     a thread for each element
 *     by 4      a thread computes four elements that lie together: what the translator emits (cuda_coarsen.c)
 *     by 2 x 4  twice four elements, which lie a group's quads apart
 *     by 4 x 4  the same with four times four
 *     stay      by 4, with no more groups than the device holds
 *     bulk      a thread of each group fetches the group's tile by a bulk copy; the others wait for it
 *     pipe      groups stay; a warp fetches tiles by bulk copies into a ring, and the others compute
 *
 * The elements of successive launches lie in other memory, so they are not in the cache, except where "hot"
 * is said. Every form's results are compared with the host's.
 * SPDX-License-Identifier: MIT
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

static const size_t POOL = 1024ull << 20; /* bytes of each buffer */
static const int ROUNDS  = 9;             /* the first warms up */

static void must(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(1);
}

/* ---- what is computed: float one(a, b, n) of an element of each input ------------------------------- */

#define ANYWHERE static __host__ __device__

struct copying {
    using type              = float;
    static const int inputs = 1;
    ANYWHERE float one(float a, float, int)
    {
        return a;
    }
};

template <int N> struct multiply_adds {
    using type              = float;
    static const int inputs = 1;
    ANYWHERE float one(float a, float, int)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            a = fmaf(a, 0.999f, 0.25f);
        return a;
    }
};

/* The launch knows how many. */
struct looping {
    using type              = float;
    static const int inputs = 1;
    ANYWHERE float one(float a, float, int n)
    {
        for (int i = 0; i < n; i++)
            a = fmaf(a, 0.999f, 0.25f);
        return a;
    }
};

struct sines {
    using type              = float;
    static const int inputs = 1;
    ANYWHERE float one(float a, float, int)
    {
        return sinf(a) + sqrtf(a * a + 1.0f);
    }
};

/* Holds much in registers. */
struct wide {
    using type              = float;
    static const int inputs = 1;
    ANYWHERE float one(float a, float, int n)
    {
        float v[40], sum = 0;
#pragma unroll
        for (int i = 0; i < 40; i++)
            v[i] = a + (float)i;
        for (int k = 0; k < n; k++)
#pragma unroll
            for (int i = 0; i < 40; i++)
                v[i] = fmaf(v[i], 0.5f, v[(i + 7) % 40]) * 0.5f;
#pragma unroll
        for (int i = 0; i < 40; i++)
            sum += v[i];
        return sum;
    }
};

struct adding {
    using type              = float;
    static const int inputs = 2;
    ANYWHERE float one(float a, float b, int)
    {
        return a + b;
    }
};

struct bytes_to_floats {
    using type              = uint8_t;
    static const int inputs = 1;
    ANYWHERE float one(uint8_t a, float, int)
    {
        return (float)a * (1.0f / 255.0f);
    }
};

/* ---- forms ------------------------------------------------------------------------------------------ */

template <typename T> struct alignas(4 * sizeof(T)) four {
    T v[4];
};

template <class O>
__global__ void __launch_bounds__(256)
    plain(const typename O::type *__restrict__ a, const typename O::type *__restrict__ b,
          float *__restrict__ to, unsigned count, int n)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < count)
        to[i] = O::one(a[i], O::inputs == 2 ? (float)b[i] : 0.0f, n);
}

template <class O>
static __device__ __forceinline__ four<float> quad_of(const four<typename O::type> &x,
                                                      const four<typename O::type> &y, int n)
{
    four<float> result;
#pragma unroll
    for (int k = 0; k < 4; k++)
        result.v[k] = O::one(x.v[k], (float)y.v[k], n);
    return result;
}

/* Quads quads of a thread; `stays`: and then those that are the grid's length further, to the end. */
template <class O, int Threads, int Quads, bool stays>
__global__ void __launch_bounds__(Threads)
    coarse(const typename O::type *__restrict__ from_a, const typename O::type *__restrict__ from_b,
           float *__restrict__ result, unsigned count, int n)
{
    auto a          = (const four<typename O::type> *)from_a;
    auto b          = (const four<typename O::type> *)from_b;
    auto to         = (four<float> *)result;
    unsigned number = count / 4, step = gridDim.x * Threads * Quads;
    for (unsigned first = blockIdx.x * Threads * Quads + threadIdx.x; first < number;
         first += stays ? step : number) {
        if (first + Threads * (Quads - 1) >= number) {
            for (; first < number; first += Threads)
                to[first] = quad_of<O>(a[first], O::inputs == 2 ? b[first] : a[first], n);
            return;
        }
        four<typename O::type> x[Quads], y[Quads];
#pragma unroll
        for (int q = 0; q < Quads; q++) {
            x[q] = a[first + q * Threads];
            y[q] = O::inputs == 2 ? b[first + q * Threads] : x[q];
        }
#pragma unroll
        for (int q = 0; q < Quads; q++)
            to[first + q * Threads] = quad_of<O>(x[q], y[q], n);
    }
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __device__ __forceinline__ unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

static __device__ __forceinline__ void initialise(unsigned long long &barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&barrier)), "r"(arrivals) : "memory");
}

static __device__ __forceinline__ void arrive(unsigned long long &barrier)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address(&barrier))
                 : "memory");
}

static __device__ __forceinline__ void wait(unsigned long long &barrier, unsigned parity)
{
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra DONE; bra AGAIN; "
        "DONE: }" ::"r"(address(&barrier)),
        "r"(parity)
        : "memory");
}

static __device__ __forceinline__ void fetch(void *to, const void *from, unsigned bytes,
                                             unsigned long long &barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address(&barrier))
        : "memory");
}

/* The tile of every input, one behind the other. */
template <class O>
static __device__ __forceinline__ void fetch_all(unsigned char *to, const typename O::type *a,
                                                 const typename O::type *b, size_t first, unsigned bytes,
                                                 unsigned long long &barrier)
{
    asm volatile(
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(address(&barrier)),
        "r"(bytes * O::inputs)
        : "memory");
    fetch(to, a + first, bytes, barrier);
    if (O::inputs == 2)
        fetch(to + bytes, b + first, bytes, barrier);
}
#endif

/* What is no whole tile is computed from global memory. */
template <class O>
static __device__ void compute_rest(const typename O::type *a, const typename O::type *b, float *to,
                                    unsigned first, unsigned count, unsigned threads, int n)
{
    for (unsigned i = first; i < count; i += threads)
        to[i] = O::one(a[i], O::inputs == 2 ? (float)b[i] : 0.0f, n);
}

template <class O, int Threads, int Tile>
__global__ void __launch_bounds__(Threads)
    bulk(const typename O::type *__restrict__ a, const typename O::type *__restrict__ b,
         float *__restrict__ to, unsigned count, int n)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ unsigned long long full;
    constexpr unsigned bytes = Tile * sizeof(typename O::type);
    unsigned first           = blockIdx.x * Tile;
    if (count - first < Tile) {
        compute_rest<O>(a, b, to, first + threadIdx.x, count, Threads, n);
        return;
    }
    if (threadIdx.x == 0) {
        initialise(full, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        fetch_all<O>(memory, a, b, first, bytes, full);
    }
    __syncthreads();
    wait(full, 0);
    auto x = (const four<typename O::type> *)memory, y = x + (O::inputs == 2 ? Tile / 4 : 0);
    auto result = (four<float> *)(to + first);
#pragma unroll
    for (int q = 0; q < Tile / 4 / Threads; q++)
        result[threadIdx.x + q * Threads] =
            quad_of<O>(x[threadIdx.x + q * Threads], y[threadIdx.x + q * Threads], n);
#endif
}

template <class O, int Threads, int Tile, int Depth>
__global__ void __launch_bounds__(Threads + 32)
    pipe(const typename O::type *__restrict__ a, const typename O::type *__restrict__ b,
         float *__restrict__ to, unsigned count, int n)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ unsigned long long full[Depth], empty[Depth];
    constexpr unsigned bytes = Tile * sizeof(typename O::type), place_bytes = bytes * O::inputs;
    constexpr int quads = Tile / 4 / Threads;
    unsigned tiles = count / Tile, place = 0, turn = 0, me = threadIdx.x - 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < Depth; i++) {
            initialise(full[i], 1);
            initialise(empty[i], Threads / 32);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (threadIdx.x == 0) {
            wait(empty[place], turn ^ 1);
            fetch_all<O>(memory + place * place_bytes, a, b, (size_t)tile * Tile, bytes, full[place]);
        } else if (threadIdx.x >= 32) {
            wait(full[place], turn);
            auto x      = (const four<typename O::type> *)(memory + place * place_bytes),
                 y      = x + (O::inputs == 2 ? Tile / 4 : 0);
            auto result = (four<float> *)(to + (size_t)tile * Tile);
            four<typename O::type> xs[quads], ys[quads];
#pragma unroll
            for (int q = 0; q < quads; q++) {
                xs[q] = x[me + q * Threads];
                ys[q] = O::inputs == 2 ? y[me + q * Threads] : xs[q];
            }
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                arrive(empty[place]);
#pragma unroll
            for (int q = 0; q < quads; q++)
                result[me + q * Threads] = quad_of<O>(xs[q], ys[q], n);
        }
        if (++place == Depth) {
            place = 0;
            turn ^= 1;
        }
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x >= 32)
        compute_rest<O>(a, b, to, tiles * Tile + me, count, Threads, n);
#endif
}

/* ---- measuring -------------------------------------------------------------------------------------- */

template <class O>
using kernel = void (*)(const typename O::type *, const typename O::type *, float *, unsigned, int);

template <class O> struct form {
    std::string name;
    kernel<O> function;
    unsigned threads, shared_bytes;
    unsigned items; /* of a thread; 0: as many groups as the device holds */
    int held = 0;   /* groups of a multiprocessor */
    std::vector<double> times;
    cudaGraphExec_t graph = nullptr;
};

static int units;
static unsigned char *inputs[2];
static float *output;

template <class O>
static void add(std::vector<form<O>> &forms, const char *name, kernel<O> function, unsigned threads,
                unsigned shared_bytes, unsigned items)
{
    form<O> added;
    added.name         = name;
    added.function     = function;
    added.threads      = threads;
    added.shared_bytes = shared_bytes;
    added.items        = items;
    if (shared_bytes > 200000)
        return;
    must(cudaFuncSetAttribute((const void *)function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)shared_bytes));
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&added.held, (const void *)function, (int)threads,
                                                       shared_bytes));
    forms.push_back(added);
}

template <class O, int Threads, int Tile, int Depth> static void add_pipe(std::vector<form<O>> &forms)
{
    char name[64];
    snprintf(name, sizeof(name), "pipe of %d, %d x %d", Threads, Tile, Depth);
    add<O>(forms, name, pipe<O, Threads, Tile, Depth>, Threads + 32,
           Tile * Depth * O::inputs * sizeof(typename O::type), 0);
}

template <class O> static std::vector<form<O>> all_forms()
{
    std::vector<form<O>> forms;
    add<O>(forms, "plain", plain<O>, 256, 0, 1);
    add<O>(forms, "by 4", coarse<O, 256, 1, false>, 256, 0, 4);
    add<O>(forms, "by 2 x 4", coarse<O, 128, 2, false>, 128, 0, 8);
    add<O>(forms, "by 4 x 4", coarse<O, 128, 4, false>, 128, 0, 16);
    add<O>(forms, "stay", coarse<O, 256, 1, true>, 256, 0, 0);
    add<O>(forms, "bulk 1024", bulk<O, 128, 1024>, 128, 1024 * O::inputs * sizeof(typename O::type), 8);
    add<O>(forms, "bulk 2048", bulk<O, 128, 2048>, 128, 2048 * O::inputs * sizeof(typename O::type), 16);
    add_pipe<O, 128, 1024, 4>(forms);
    add_pipe<O, 256, 1024, 4>(forms);
    add_pipe<O, 256, 2048, 2>(forms);
    add_pipe<O, 256, 2048, 4>(forms);
    add_pipe<O, 256, 4096, 4>(forms);
    add_pipe<O, 512, 4096, 6>(forms);
    add_pipe<O, 512, 8192, 4>(forms);
    return forms;
}

/* The elements are those from `at` on. */
template <class O>
static void launch(const form<O> &form, size_t at, unsigned count, int n, cudaStream_t stream)
{
    unsigned each   = form.threads * form.items;
    unsigned groups = each != 0 ? (count + each - 1) / each : (unsigned)(units * form.held);
    form.function<<<groups, form.threads, form.shared_bytes, stream>>>(
        (const typename O::type *)inputs[0] + at, (const typename O::type *)inputs[1] + at, output + at,
        count, n);
    must(cudaGetLastError());
}

/* Sets form.graph to that many launches, one after the other over all memory, or over the same. */
template <class O>
static void record(form<O> &form, unsigned count, int launches, bool is_hot, int n, cudaStream_t stream)
{
    cudaGraph_t graph;
    size_t slices = is_hot ? 1 : POOL / ((size_t)count * sizeof(float));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < launches; i++)
        launch(form, i % slices * count, count, n, stream);
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&form.graph, graph, 0));
    must(cudaGraphDestroy(graph));
}

static double milliseconds(cudaGraphExec_t graph, cudaStream_t stream)
{
    cudaEvent_t begin, end;
    float took;
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    must(cudaEventRecord(begin, stream));
    must(cudaGraphLaunch(graph, stream));
    must(cudaEventRecord(end, stream));
    must(cudaEventSynchronize(end));
    must(cudaEventElapsedTime(&took, begin, end));
    must(cudaEventDestroy(begin));
    must(cudaEventDestroy(end));
    return took;
}

static double median(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

template <class O>
static void measure(std::vector<form<O>> &forms, const char *name, size_t mib, bool is_hot, int n,
                    cudaStream_t stream)
{
    unsigned count = (unsigned)(mib << 18);
    int launches   = mib <= 8 ? 64 : mib <= 64 ? 16 : 4;
    for (auto &form : forms)
        record(form, count, launches, is_hot, n, stream);
    for (int round = 0; round < ROUNDS; round++)
        for (auto &form : forms) {
            double took = milliseconds(form.graph, stream) * 1e3 / launches;
            if (round != 0)
                form.times.push_back(took);
        }
    double first = median(forms[0].times);
    printf("%s, %zu MiB%s: plain %.2f us; times as fast:", name, mib, is_hot ? " hot" : "", first);
    for (auto &form : forms) {
        if (&form != &forms[0])
            printf(" %s: %.3f", form.name.c_str(), first / median(form.times));
        form.times.clear();
        must(cudaGraphExecDestroy(form.graph));
    }
    printf("\n");
    fflush(stdout);
}

/* The number of elements is that of no whole tile. */
template <class O>
static bool check(const std::vector<form<O>> &forms, const char *name, int n, cudaStream_t stream)
{
    unsigned count = 4 * 1000003;
    std::vector<typename O::type> a(count), b(count);
    std::vector<float> wanted(count), got(count);
    bool is_right = true;
    must(cudaMemcpy(a.data(), inputs[0], count * sizeof(typename O::type), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(b.data(), inputs[1], count * sizeof(typename O::type), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; i++)
        wanted[i] = O::one(a[i], O::inputs == 2 ? (float)b[i] : 0.0f, n);
    for (auto &form : forms) {
        unsigned wrong = 0;
        must(cudaMemset(output, 0xff, count * sizeof(float)));
        launch(form, 0, count, n, stream);
        must(cudaStreamSynchronize(stream));
        must(cudaMemcpy(got.data(), output, count * sizeof(float), cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < count; i++)
            wrong += !(fabsf(got[i] - wanted[i]) <= 1e-5f * fabsf(wanted[i]));
        if (wrong != 0)
            printf("%s, %s: %u elements are wrong\n", name, form.name.c_str(), wrong);
        is_right = is_right && wrong == 0;
    }
    return is_right;
}

struct request {
    char **names;
    int count;
    cudaStream_t stream;
    bool is_right;
};

template <class O> static void run(struct request *request, const char *name, int n)
{
    bool is_asked = request->count == 0;
    for (int i = 0; i < request->count; i++)
        is_asked = is_asked || strcmp(request->names[i], name) == 0;
    if (!is_asked)
        return;
    std::vector<form<O>> forms = all_forms<O>();
    for (size_t mib : {1, 2, 4, 8, 16, 64, 256})
        measure(forms, name, mib, false, n, request->stream);
    measure(forms, name, 16, true, n, request->stream);
    request->is_right = check(forms, name, n, request->stream) && request->is_right;
}

static __global__ void fill(float *to, size_t count, unsigned seed)
{
    for (size_t i = blockIdx.x * 256 + threadIdx.x; i < count; i += (size_t)gridDim.x * 256)
        to[i] = 1.0f + (float)((unsigned)(i * 2654435761u + seed) >> 16) / 65536.0f;
}

int main(int argc, char **argv)
{
    struct request request = {argv + 1, argc - 1, nullptr, true};
    cudaDeviceProp properties;
    must(cudaGetDeviceProperties(&properties, 0));
    if (properties.major < 9) {
        printf("this takes a GPU of compute capability 9.0\n");
        return 77;
    }
    units = properties.multiProcessorCount;
    printf("%s, %d multiprocessors\n", properties.name, units);
    must(cudaStreamCreate(&request.stream));
    for (unsigned i = 0; i < 2; i++) {
        must(cudaMalloc(&inputs[i], POOL));
        fill<<<1024, 256>>>((float *)inputs[i], POOL / sizeof(float), i);
    }
    must(cudaMalloc(&output, POOL));
    must(cudaDeviceSynchronize());
    run<copying>(&request, "copy", 0);
    run<multiply_adds<1>>(&request, "fma_1", 0);
    run<multiply_adds<8>>(&request, "fma_8", 0);
    run<multiply_adds<32>>(&request, "fma_32", 0);
    run<multiply_adds<64>>(&request, "fma_64", 0);
    run<multiply_adds<128>>(&request, "fma_128", 0);
    run<looping>(&request, "loop_4", 4);
    run<looping>(&request, "loop_32", 32);
    run<looping>(&request, "loop_128", 128);
    run<looping>(&request, "loop_512", 512);
    run<wide>(&request, "wide", 1);
    run<sines>(&request, "sines", 0);
    run<adding>(&request, "add", 0);
    run<bytes_to_floats>(&request, "bytes_to_floats", 0);
    printf("%s\n", request.is_right ? "all results are right" : "RESULTS ARE WRONG");
    return request.is_right ? 0 : 1;
}
