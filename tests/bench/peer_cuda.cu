/* The suite "gpu" as one writes it by hand in CUDA: three streams and events, or a graph for each slot. Built
 * with nvcc. GPU_SGEMM names a file (cubin, fat binary or PTX) with Trireme's translation of its own shader
 * `sgemm`, to tell a driver's part from the shader's.
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "gpu_work.h"

static const char who[] = "cuda_by_hand";

static void must(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(1);
}

static cudaStream_t make_stream()
{
    cudaStream_t stream;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static cudaEvent_t make_event()
{
    cudaEvent_t event;
    must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

static float *make_pinned(size_t bytes)
{
    float *memory;
    must(cudaMallocHost(&memory, bytes));
    return memory;
}

static float *make_device(size_t bytes)
{
    float *memory;
    must(cudaMalloc(&memory, bytes));
    return memory;
}

__global__ void chain(const float4 *__restrict__ from, float4 *__restrict__ to, unsigned count,
                      unsigned links)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 v = from[i];
    for (unsigned link = 0; link < links; link++) {
        v.x = fmaf(v.x, GPU_FACTOR, GPU_TERM);
        v.y = fmaf(v.y, GPU_FACTOR, GPU_TERM);
        v.z = fmaf(v.z, GPU_FACTOR, GPU_TERM);
        v.w = fmaf(v.w, GPU_FACTOR, GPU_TERM);
    }
    to[i] = v;
}

__global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, unsigned n, float a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* ---- pipelines -------------------------------------------------------------------------------------- */

enum {
    SLOTS_MOST = 4
};

struct slot {
    float *in, *out, *from, *to;
    cudaEvent_t uploaded, computed, done;
    cudaStream_t stream;
    cudaGraphExec_t graph;
};

struct flow {
    const gpu_batch *batch;
    int depth;
    bool graphs;
    cudaStream_t up, compute, down;
    slot slots[SLOTS_MOST];
};

static void enqueue(const flow *flow, const slot *slot, cudaStream_t up, cudaStream_t compute,
                    cudaStream_t down)
{
    size_t bytes     = flow->batch->bytes;
    unsigned vectors = (unsigned)(bytes / 16), groups = (vectors + GPU_GROUP - 1) / GPU_GROUP;

    must(cudaMemcpyAsync(slot->from, slot->in, bytes, cudaMemcpyHostToDevice, up));
    if (up != compute) {
        must(cudaEventRecord(slot->uploaded, up));
        must(cudaStreamWaitEvent(compute, slot->uploaded, 0));
    }
    chain<<<groups, GPU_GROUP, 0, compute>>>((const float4 *)slot->from, (float4 *)slot->to, vectors,
                                             flow->batch->links);
    if (compute != down) {
        must(cudaEventRecord(slot->computed, compute));
        must(cudaStreamWaitEvent(down, slot->computed, 0));
    }
    must(cudaMemcpyAsync(slot->out, slot->to, bytes, cudaMemcpyDeviceToHost, down));
}

static void open_flow(flow *flow)
{
    flow->up      = make_stream();
    flow->compute = make_stream();
    flow->down    = make_stream();
    for (int i = 0; i < flow->depth; i++) {
        slot *slot  = &flow->slots[i];
        size_t size = flow->batch->bytes;
        cudaGraph_t graph;
        slot->in       = make_pinned(size);
        slot->out      = make_pinned(size);
        slot->from     = make_device(size);
        slot->to       = make_device(size);
        slot->uploaded = make_event();
        slot->computed = make_event();
        slot->done     = make_event();
        slot->stream   = make_stream();
        gpu_fill(slot->in, size / sizeof(float));
        must(cudaStreamBeginCapture(slot->stream, cudaStreamCaptureModeThreadLocal));
        enqueue(flow, slot, slot->stream, slot->stream, slot->stream);
        must(cudaStreamEndCapture(slot->stream, &graph));
        must(cudaGraphInstantiate(&slot->graph, graph, 0));
        must(cudaGraphDestroy(graph));
    }
}

static void close_flow(flow *flow)
{
    for (int i = 0; i < flow->depth; i++) {
        slot *slot = &flow->slots[i];
        must(cudaFreeHost(slot->in));
        must(cudaFreeHost(slot->out));
        must(cudaFree(slot->from));
        must(cudaFree(slot->to));
        must(cudaEventDestroy(slot->uploaded));
        must(cudaEventDestroy(slot->computed));
        must(cudaEventDestroy(slot->done));
        must(cudaStreamDestroy(slot->stream));
        must(cudaGraphExecDestroy(slot->graph));
    }
    must(cudaStreamDestroy(flow->up));
    must(cudaStreamDestroy(flow->compute));
    must(cudaStreamDestroy(flow->down));
}

static void run_flow(const flow *flow)
{
    for (unsigned token = 0; token < flow->batch->tokens; token++) {
        const slot *slot = &flow->slots[token % flow->depth];
        if (token >= (unsigned)flow->depth)
            must(cudaEventSynchronize(slot->done));
        if (flow->graphs) {
            must(cudaGraphLaunch(slot->graph, slot->stream));
            must(cudaEventRecord(slot->done, slot->stream));
        } else {
            enqueue(flow, slot, flow->up, flow->compute, flow->down);
            must(cudaEventRecord(slot->done, flow->down));
        }
    }
    must(cudaDeviceSynchronize());
}

static double sample_flow(const void *what)
{
    const flow *flow = (const struct flow *)what;
    uint64_t begin   = measure_now();

    run_flow(flow);
    return gpu_each(begin, flow->batch->tokens);
}

static void measure_flow(const gpu_batch *batch, int depth, bool graphs)
{
    flow flow = {};
    char name[64];

    flow.batch  = batch;
    flow.depth  = depth;
    flow.graphs = graphs;
    open_flow(&flow);
    run_flow(&flow);
    gpu_check(batch, flow.slots[depth - 1].out);
    snprintf(name, sizeof(name), "%s_depth%d_%s", batch->name, depth, graphs ? "slot graphs" : "streams");
    gpu_flow(name, who, sample_flow, &flow, batch);
    close_flow(&flow);
}

/* ---- copies ----------------------------------------------------------------------------------------- */

static struct {
    cudaStream_t up, down;
    float *from, *to, *one, *other;
} copies;

static double sample_copies(const void *what)
{
    const char *ways = (const char *)what;
    uint64_t begin   = measure_now();

    if (strchr(ways, 'u'))
        must(cudaMemcpyAsync(copies.one, copies.from, GPU_COPY_BYTES, cudaMemcpyHostToDevice, copies.up));
    if (strchr(ways, 'd'))
        must(cudaMemcpyAsync(copies.to, copies.other, GPU_COPY_BYTES, cudaMemcpyDeviceToHost, copies.down));
    must(cudaStreamSynchronize(copies.up));
    must(cudaStreamSynchronize(copies.down));
    return gpu_rate(begin, (double)GPU_COPY_BYTES);
}

static double sample_device_copy(const void *)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < 8; i++)
        must(cudaMemcpyAsync(copies.one, copies.other, GPU_COPY_BYTES, cudaMemcpyDeviceToDevice, copies.up));
    must(cudaStreamSynchronize(copies.up));
    return gpu_rate(begin, 16.0 * (double)GPU_COPY_BYTES);
}

static double sample_pageable(const void *memory)
{
    uint64_t begin = measure_now();

    must(cudaMemcpyAsync(copies.one, memory, GPU_COPY_BYTES, cudaMemcpyHostToDevice, copies.up));
    must(cudaStreamSynchronize(copies.up));
    return gpu_rate(begin, (double)GPU_COPY_BYTES);
}

static void measure_copies()
{
    void *memory = measure_memory(GPU_COPY_BYTES);

    copies.up    = make_stream();
    copies.down  = make_stream();
    copies.from  = make_pinned(GPU_COPY_BYTES);
    copies.to    = make_pinned(GPU_COPY_BYTES);
    copies.one   = make_device(GPU_COPY_BYTES);
    copies.other = make_device(GPU_COPY_BYTES);
    gpu_figure("copy_up", who, "GB/s", sample_copies, "u");
    gpu_figure("copy_down", who, "GB/s", sample_copies, "d");
    gpu_figure("copy_both", who, "GB/s", sample_copies, "ud");
    gpu_figure("copy_device", who, "GB/s", sample_device_copy, NULL);
    gpu_figure("copy_pageable_up", who, "GB/s", sample_pageable, memory);
    free(memory);
    must(cudaFreeHost(copies.from));
    must(cudaFreeHost(copies.to));
    must(cudaFree(copies.one));
    must(cudaFree(copies.other));
    must(cudaStreamDestroy(copies.up));
    must(cudaStreamDestroy(copies.down));
}

/* ---- launches and memory ---------------------------------------------------------------------------- */

static cudaStream_t stream;
static CUfunction driver_chain;

static double sample_launch(const void *small)
{
    float4 *memory = (float4 *)small;
    uint64_t begin = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++)
        chain<<<1, GPU_GROUP, 0, stream>>>(memory, memory + 256, 0, 0);
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(cudaStreamSynchronize(stream));
    return each;
}

/* Without the runtime between. */
static double sample_driver_launch(const void *small)
{
    float4 *memory = (float4 *)small, *other = memory + 256;
    unsigned count = 0, links = 0;
    void *parameters[] = {&memory, &other, &count, &links};
    uint64_t begin     = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++) {
        if (cuLaunchKernel(driver_chain, 1, 1, 1, GPU_GROUP, 1, 1, 0, stream, parameters, NULL) !=
            CUDA_SUCCESS)
            measure_fail("the kernel cannot be launched");
    }
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(cudaStreamSynchronize(stream));
    return each;
}

static double sample_trip(const void *small)
{
    float4 *memory = (float4 *)small;
    uint64_t begin = measure_now();

    for (int i = 0; i < GPU_TRIPS; i++) {
        chain<<<1, GPU_GROUP, 0, stream>>>(memory, memory + 256, 0, 0);
        must(cudaStreamSynchronize(stream));
    }
    return gpu_each(begin, GPU_TRIPS);
}

static double sample_allocate(const void *)
{
    CUdeviceptr memory;
    uint64_t begin = measure_now();

    for (int i = 0; i < GPU_PAIRS; i++) {
        if (cuMemAlloc(&memory, MIB) != CUDA_SUCCESS || cuMemFree(memory) != CUDA_SUCCESS)
            measure_fail("there is no device memory");
    }
    return gpu_each(begin, GPU_PAIRS);
}

static double sample_allocate_in_order(const void *)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < GPU_PAIRS; i++) {
        void *memory;
        must(cudaMallocAsync(&memory, MIB, stream));
        must(cudaFreeAsync(memory, stream));
    }
    double each = gpu_each(begin, GPU_PAIRS);
    must(cudaStreamSynchronize(stream));
    return each;
}

enum {
    EVENTS = 16
};

struct page {
    float *to, *from;
    cudaStream_t other;
    cudaEvent_t events[EVENTS];
};

static double sample_copy_issue(const void *what)
{
    const struct page *page = (const struct page *)what;
    uint64_t begin          = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++)
        must(cudaMemcpyAsync(page->to, page->from, 4096, cudaMemcpyHostToDevice, stream));
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(cudaStreamSynchronize(stream));
    return each;
}

static double sample_copy_mark_issue(const void *what)
{
    const struct page *page = (const struct page *)what;
    uint64_t begin          = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++) {
        must(cudaMemcpyAsync(page->to, page->from, 4096, cudaMemcpyHostToDevice, stream));
        must(cudaEventRecord(page->events[i % EVENTS], stream));
    }
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(cudaStreamSynchronize(stream));
    return each;
}

static double sample_copy_hop_issue(const void *what)
{
    const struct page *page = (const struct page *)what;
    uint64_t begin          = measure_now();

    for (int i = 0; i < GPU_LAUNCHES; i++) {
        must(cudaMemcpyAsync(page->to, page->from, 4096, cudaMemcpyHostToDevice, stream));
        must(cudaEventRecord(page->events[i % EVENTS], stream));
        must(cudaStreamWaitEvent(page->other, page->events[i % EVENTS], 0));
    }
    double each = gpu_each(begin, GPU_LAUNCHES);
    must(cudaStreamSynchronize(page->other));
    must(cudaStreamSynchronize(stream));
    return each;
}

static void measure_issues(float *small)
{
    struct page page = {small, make_pinned(4096), make_stream(), {}};

    for (int i = 0; i < EVENTS; i++)
        page.events[i] = make_event();
    gpu_spent("copy_issue", who, sample_copy_issue, &page);
    gpu_spent("copy_mark_issue", who, sample_copy_mark_issue, &page);
    gpu_spent("copy_hop_issue", who, sample_copy_hop_issue, &page);
    for (int i = 0; i < EVENTS; i++)
        must(cudaEventDestroy(page.events[i]));
    must(cudaStreamDestroy(page.other));
    must(cudaFreeHost(page.from));
}

/* While nothing else lives: the driver cuts small pieces out of blocks of 2 MiB, and what is left of a block
 * would make this cheap. */
static void measure_allocations()
{
    gpu_figure("alloc_1MiB", who, "us", sample_allocate, NULL);
    gpu_spent("alloc_ordered_1MiB", who, sample_allocate_in_order, NULL);
}

static void measure_calls()
{
    float *small = make_device(2 * 4096);

    must(cudaGetFuncBySymbol(&driver_chain, (const void *)chain));
    gpu_spent("launch_issue", who, sample_launch, small);
    gpu_spent("launch_issue_driver", who, sample_driver_launch, small);
    gpu_figure("launch_roundtrip", who, "us", sample_trip, small);
    measure_issues(small);
    must(cudaFree(small));
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

static float *arrays[3];
static CUfunction sgemm;

static double sample_chain(const void *)
{
    unsigned vectors = GPU_KERNEL_COUNT / 4;
    uint64_t begin   = measure_now();

    for (int i = 0; i < 10; i++)
        chain<<<vectors / GPU_GROUP, GPU_GROUP, 0, stream>>>((const float4 *)arrays[0], (float4 *)arrays[1],
                                                             vectors, 1);
    must(cudaStreamSynchronize(stream));
    return gpu_rate(begin, 80.0 * (double)GPU_KERNEL_COUNT);
}

static double sample_saxpy(const void *)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < 10; i++)
        saxpy<<<GPU_KERNEL_COUNT / GPU_GROUP, GPU_GROUP, 0, stream>>>(arrays[0], arrays[1], GPU_KERNEL_COUNT,
                                                                      1.5f);
    must(cudaStreamSynchronize(stream));
    return gpu_rate(begin, 120.0 * (double)GPU_KERNEL_COUNT);
}

/* As compiler/translate/targets/cuda_target.c has it: buffers, then a struct of the scalars, then the sizes
 * of the buffers where the kernel wants them. */
static double sample_sgemm(const void *)
{
    struct {
        unsigned m, n, k;
        float alpha, beta;
    } scalars               = {GPU_SIDE, GPU_SIDE, GPU_SIDE, 1.0f, 0.0f};
    unsigned long long size = (unsigned long long)GPU_SIDE * GPU_SIDE * 4;
    void *parameters[]      = {&arrays[0], &arrays[1], &arrays[2], &scalars, &size, &size, &size};
    uint64_t begin          = measure_now();

    for (int i = 0; i < 3; i++) {
        if (cuLaunchKernel(sgemm, GPU_SIDE / 64, GPU_SIDE / 64, 1, 16, 16, 1, 0, stream, parameters, NULL) !=
            CUDA_SUCCESS)
            measure_fail("sgemm cannot be launched");
    }
    must(cudaStreamSynchronize(stream));
    return gpu_rate(begin, 6.0 * GPU_SIDE * GPU_SIDE * GPU_SIDE);
}

static void measure_sgemm()
{
    const char *path = getenv("GPU_SGEMM");
    CUmodule module;

    if (path == NULL)
        return;
    if (cuModuleLoad(&module, path) != CUDA_SUCCESS ||
        cuModuleGetFunction(&sgemm, module, "sgemm") != CUDA_SUCCESS)
        measure_fail("GPU_SGEMM is no module with a kernel named sgemm");
    gpu_figure("kernel_sgemm_4096", who, "GFLOP/s", sample_sgemm, NULL);
    cuModuleUnload(module);
}

/* NVIDIA's library as a yardstick, where it is installed: full single precision. */
static struct {
    int (*create)(void **handle);
    int (*set_stream)(void *handle, cudaStream_t stream);
    int (*sgemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*destroy)(void *handle);
    void *handle;
} cublas;

static double sample_cublas(const void *)
{
    const float alpha = 1.0f, beta = 0.0f;
    uint64_t begin = measure_now();

    for (int i = 0; i < 3; i++) {
        if (cublas.sgemm(cublas.handle, 0, 0, GPU_SIDE, GPU_SIDE, GPU_SIDE, &alpha, arrays[0], GPU_SIDE,
                         arrays[1], GPU_SIDE, &beta, arrays[2], GPU_SIDE) != 0)
            measure_fail("cublasSgemm fails");
    }
    must(cudaStreamSynchronize(stream));
    return gpu_rate(begin, 6.0 * GPU_SIDE * GPU_SIDE * GPU_SIDE);
}

template <typename function> static bool find(void *library, const char *name, function *found)
{
    *found = (function)dlsym(library, name);
    return *found != NULL;
}

static void measure_cublas()
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                        "/usr/local/cuda/lib64/libcublas.so"};
    void *library                    = NULL;

    for (const char *name : names)
        library = library != NULL ? library : dlopen(name, RTLD_NOW);
    if (library == NULL || !find(library, "cublasCreate_v2", &cublas.create) ||
        !find(library, "cublasSetStream_v2", &cublas.set_stream) ||
        !find(library, "cublasSgemm_v2", &cublas.sgemm) ||
        !find(library, "cublasDestroy_v2", &cublas.destroy) || cublas.create(&cublas.handle) != 0 ||
        cublas.set_stream(cublas.handle, stream) != 0) {
        fprintf(stderr, "cuBLAS cannot be used here: left out\n");
        return;
    }
    gpu_figure("kernel_sgemm_4096", "cublas", "GFLOP/s", sample_cublas, NULL);
    cublas.destroy(cublas.handle);
}

static void measure_kernels()
{
    for (int i = 0; i < 3; i++)
        arrays[i] = make_device(GPU_KERNEL_COUNT * 4);
    gpu_figure("kernel_chain", who, "GB/s", sample_chain, NULL);
    gpu_figure("kernel_saxpy", who, "GB/s", sample_saxpy, NULL);
    for (int i = 0; i < 3; i++)
        must(cudaMemset(arrays[i], 0x3f, (size_t)GPU_SIDE * GPU_SIDE * 4));
    measure_sgemm();
    measure_cublas();
    for (int i = 0; i < 3; i++)
        must(cudaFree(arrays[i]));
}

int main(int argc, char **argv)
{
    size_t most = gpu_most_bytes(argc > 1 ? argv[1] : "");

    must(cudaFree(NULL));
    stream = make_stream();
    measure_allocations();
    measure_calls();
    if (most > MIB) {
        measure_copies();
        measure_kernels();
    }
    for (int i = 0; i < GPU_BATCHES && gpu_batches[i].bytes <= most; i++) {
        measure_flow(&gpu_batches[i], 3, false);
        measure_flow(&gpu_batches[i], 4, false);
        measure_flow(&gpu_batches[i], 3, true);
    }
    must(cudaStreamDestroy(stream));
    return 0;
}
