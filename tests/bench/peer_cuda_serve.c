/* The suite "serve" of `trireme bench` as one writes it by hand for CUDA's driver: eight slots, each with a
 * stream, an event and a recorded graph that is launched once for a token. A thread submits and takes the
 * results, and polls the events. The graph of slot-graphs copies up, runs the kernel and copies down; that of
 * zero-copy runs the kernel over pinned memory. Figures, names and arrivals are those of
 * tools/bench/bench_serve.c.
 *
 *     peer_cuda_serve [small]     small: a hundredth of the tokens
 *
 * Driver and run-time compiler are opened by name, or by the paths in TRIREME_CUDA_DRIVER and
 * TRIREME_CUDA_NVRTC.
 * SPDX-License-Identifier: MIT
 */
#include <cuda.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define FACTOR 1.0001f
#define TERM 0.5f

enum {
    SLOTS  = 8,
    TOKENS = 40000,
    MORE   = 1000, /* tokens of the arrivals, beyond those */
    ROUNDS = 3,
    LOADS  = 3,
    GROUP  = 256,
    /* full, alone, and three percentiles for each load */
    FIGURES = 2 + 3 * LOADS,
};

static const char who[] = "cuda_by_hand";

/* ---- the driver ------------------------------------------------------------------------------------- */

#define WORD(name) #name
#define NAME(name) WORD(name) /* with the version that cuda.h gives it */

/* clang-format off */
#define FUNCTIONS(USE)                                                                                        \
    USE(cuInit) USE(cuDeviceGet) USE(cuDeviceGetAttribute) USE(cuDevicePrimaryCtxRetain)                      \
    USE(cuCtxSetCurrent) USE(cuMemHostAlloc) USE(cuMemHostGetDevicePointer) USE(cuMemFreeHost)                \
    USE(cuMemAlloc) USE(cuMemFree) USE(cuModuleLoadData) USE(cuModuleGetFunction) USE(cuStreamCreate)         \
    USE(cuStreamDestroy) USE(cuEventCreate) USE(cuEventDestroy) USE(cuEventRecord) USE(cuEventQuery)          \
    USE(cuGraphCreate) USE(cuGraphDestroy) USE(cuGraphAddMemcpyNode) USE(cuGraphAddKernelNode)                \
    USE(cuGraphInstantiateWithFlags) USE(cuGraphExecDestroy) USE(cuGraphLaunch)
/* clang-format on */

#define DECLARE(name) __typeof__(name) *p_##name;
static struct {
    FUNCTIONS(DECLARE)
} cuda;

static void *open_library(const char *variable, const char *const *names)
{
    const char *path = getenv(variable);
    void *library    = path != NULL ? dlopen(path, RTLD_NOW) : NULL;

    for (; path == NULL && library == NULL && *names != NULL; names++)
        library = dlopen(*names, RTLD_NOW);
    if (library == NULL)
        measure_fail("CUDA's driver or NVRTC is not installed");
    return library;
}

static void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);

    if (function == NULL)
        measure_fail(name);
    return function;
}

static void must(CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s gives %d\n", call, (int)result);
    exit(1);
}

#define MUST(name, ...) must(cuda.p_##name(__VA_ARGS__), #name)

/* ---- the kernel ------------------------------------------------------------------------------------- */

static const char text[] =
    "extern \"C\" __global__ void chain(const float *from, float *to, unsigned count)\n"
    "{\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count)\n"
    "        to[i] = fmaf(1.0001f, from[i], 0.5f);\n"
    "}\n";

/* As nvrtc.h has them; a program is an address. */
static struct {
    int (*create)(void **program, const char *text, const char *name, int headers, const char *const *sources,
                  const char *const *names);
    int (*compile)(void *program, int count, const char *const *options);
    int (*size)(void *program, size_t *size);
    int (*code)(void *program, char *code);
} nvrtc;

static void open_compiler(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    void *library                    = open_library("TRIREME_CUDA_NVRTC", names);

    *(void **)&nvrtc.create  = find(library, "nvrtcCreateProgram");
    *(void **)&nvrtc.compile = find(library, "nvrtcCompileProgram");
    *(void **)&nvrtc.size    = find(library, "nvrtcGetCUBINSize");
    *(void **)&nvrtc.code    = find(library, "nvrtcGetCUBIN");
}

static CUfunction compile(CUdevice device)
{
    char arch[32];
    const char *options[] = {arch};
    int major = 0, minor = 0;
    void *program = NULL;
    size_t size   = 0;
    CUmodule module;
    CUfunction function;

    MUST(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    MUST(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    snprintf(arch, sizeof(arch), "--gpu-architecture=sm_%d%d", major, minor);
    if (nvrtc.create(&program, text, "chain.cu", 0, NULL, NULL) != 0 ||
        nvrtc.compile(program, 1, options) != 0 || nvrtc.size(program, &size) != 0)
        measure_fail("the kernel cannot be compiled");
    char *code = measure_memory((size + 4095) / 4096 * 4096);
    if (nvrtc.code(program, code) != 0)
        measure_fail("the kernel cannot be compiled");
    MUST(cuModuleLoadData, &module, code);
    MUST(cuModuleGetFunction, &function, module, "chain");
    free(code);
    return function;
}

static CUcontext context;
static CUfunction kernel;

static void open_device(void)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    void *library                    = open_library("TRIREME_CUDA_DRIVER", names);
    CUdevice device;

#define FIND(name) *(void **)&cuda.p_##name = find(library, NAME(name));
    FUNCTIONS(FIND)
    open_compiler();
    MUST(cuInit, 0);
    MUST(cuDeviceGet, &device, 0);
    MUST(cuDevicePrimaryCtxRetain, &context, device);
    MUST(cuCtxSetCurrent, context);
    kernel = compile(device);
}

/* ---- slots ------------------------------------------------------------------------------------------ */

struct way {
    const char *name;
    size_t bytes;
    bool is_zero_copy;
};

static const struct way ways[] = {
    {"4KiB_slot-graphs", 4 << 10, false},
    {"4KiB_zero-copy", 4 << 10, true},
    {"64KiB_slot-graphs", 64 << 10, false},
    {"64KiB_zero-copy", 64 << 10, true},
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

struct slot {
    float *in, *out; /* pinned */
    CUdeviceptr from, to;
    CUstream stream;
    CUevent done;
    CUgraphExec graph;
};

static struct slot slots[SLOTS];

static float element(size_t i)
{
    return (float)(i % 977) * (1.0f / 977.0f);
}

static CUgraphNode add_copy(CUgraph graph, const CUgraphNode *before, const CUDA_MEMCPY3D *copy)
{
    CUgraphNode node;

    MUST(cuGraphAddMemcpyNode, &node, graph, before, before != NULL ? 1 : 0, copy, context);
    return node;
}

static CUgraphNode add_kernel(CUgraph graph, const CUgraphNode *before, const struct slot *slot, size_t bytes)
{
    unsigned count   = (unsigned)(bytes / sizeof(float));
    CUdeviceptr from = slot->from, to = slot->to;
    void *parameters[]             = {&from, &to, &count};
    CUDA_KERNEL_NODE_PARAMS launch = {.func         = kernel,
                                      .gridDimX     = (count + GROUP - 1) / GROUP,
                                      .gridDimY     = 1,
                                      .gridDimZ     = 1,
                                      .blockDimX    = GROUP,
                                      .blockDimY    = 1,
                                      .blockDimZ    = 1,
                                      .kernelParams = parameters};
    CUgraphNode node;

    MUST(cuGraphAddKernelNode, &node, graph, before, before != NULL ? 1 : 0, &launch);
    return node;
}

static void record(const struct way *way, struct slot *slot)
{
    const CUDA_MEMCPY3D up   = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost       = slot->in,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice     = slot->from,
                                .WidthInBytes  = way->bytes,
                                .Height        = 1,
                                .Depth         = 1};
    const CUDA_MEMCPY3D down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice     = slot->to,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost       = slot->out,
                                .WidthInBytes  = way->bytes,
                                .Height        = 1,
                                .Depth         = 1};
    CUgraph graph;
    CUgraphNode node;

    MUST(cuGraphCreate, &graph, 0);
    if (!way->is_zero_copy)
        node = add_copy(graph, NULL, &up);
    node = add_kernel(graph, way->is_zero_copy ? NULL : &node, slot, way->bytes);
    if (!way->is_zero_copy)
        (void)add_copy(graph, &node, &down);
    MUST(cuGraphInstantiateWithFlags, &slot->graph, graph, 0);
    MUST(cuGraphDestroy, graph);
}

static void open_slot(const struct way *way, struct slot *slot)
{
    MUST(cuMemHostAlloc, (void **)&slot->in, way->bytes, CU_MEMHOSTALLOC_DEVICEMAP);
    MUST(cuMemHostAlloc, (void **)&slot->out, way->bytes, CU_MEMHOSTALLOC_DEVICEMAP);
    memset(slot->out, 0, way->bytes);
    for (size_t i = 0; i < way->bytes / sizeof(float); i++)
        slot->in[i] = element(i);
    if (way->is_zero_copy) {
        MUST(cuMemHostGetDevicePointer, &slot->from, slot->in, 0);
        MUST(cuMemHostGetDevicePointer, &slot->to, slot->out, 0);
    } else {
        MUST(cuMemAlloc, &slot->from, way->bytes);
        MUST(cuMemAlloc, &slot->to, way->bytes);
    }
    MUST(cuStreamCreate, &slot->stream, CU_STREAM_NON_BLOCKING);
    MUST(cuEventCreate, &slot->done, CU_EVENT_DISABLE_TIMING);
    record(way, slot);
}

/* Ends the program when a result is wrong: a fast wrong answer is no figure. */
static void check(const struct way *way, const struct slot *slot)
{
    for (size_t i = 0; i < way->bytes / sizeof(float); i++)
        if (!(fabsf(slot->out[i] - fmaf(FACTOR, element(i), TERM)) <= 1e-5f))
            measure_fail("a token came out wrong");
}

static void close_slot(const struct way *way, struct slot *slot)
{
    check(way, slot);
    MUST(cuGraphExecDestroy, slot->graph);
    MUST(cuEventDestroy, slot->done);
    MUST(cuStreamDestroy, slot->stream);
    if (!way->is_zero_copy) {
        MUST(cuMemFree, slot->from);
        MUST(cuMemFree, slot->to);
    }
    MUST(cuMemFreeHost, slot->in);
    MUST(cuMemFreeHost, slot->out);
}

static void submit(uint64_t token)
{
    const struct slot *slot = &slots[token % SLOTS];

    MUST(cuGraphLaunch, slot->graph, slot->stream);
    MUST(cuEventRecord, slot->done, slot->stream);
}

static bool is_done(uint64_t token)
{
    CUresult result = cuda.p_cuEventQuery(slots[token % SLOTS].done);

    if (result != CUDA_ERROR_NOT_READY)
        must(result, "cuEventQuery");
    return result == CUDA_SUCCESS;
}

static void take(uint64_t token)
{
    while (!is_done(token))
        ;
}

/* ---- figures ---------------------------------------------------------------------------------------- */

static uint64_t times[TOKENS + MORE];
static double figures[WAYS][FIGURES][ROUNDS];

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static double run_full(uint64_t tokens)
{
    uint64_t begin = measure_now();

    for (uint64_t i = 0; i < tokens + SLOTS; i++) {
        if (i >= SLOTS)
            take(i - SLOTS);
        if (i < tokens)
            submit(i);
    }
    return (double)(measure_now() - begin) / (double)tokens;
}

/* The median. */
static double run_alone(uint64_t tokens)
{
    for (uint64_t i = 0; i < tokens; i++) {
        uint64_t begin = measure_now();

        submit(i);
        take(i);
        times[i] = measure_now() - begin;
    }
    qsort(times, tokens, sizeof(times[0]), compare);
    return (double)times[tokens / 2];
}

/* Token i arrives at begin + i x period, whatever has ended until then. Sorts `times`. */
static void run_arrivals(double period, uint64_t tokens)
{
    uint64_t begin = measure_now(), submitted = 0, taken = 0;

    while (taken < tokens) {
        uint64_t arrival = begin + (uint64_t)((double)submitted * period);

        if (submitted < tokens && submitted - taken < SLOTS && measure_now() >= arrival) {
            submit(submitted++);
        } else if (taken < submitted && is_done(taken)) {
            times[taken] = measure_now() - (begin + (uint64_t)((double)taken * period));
            taken++;
        }
    }
    qsort(times, tokens, sizeof(times[0]), compare);
}

static void measure_way(size_t index, unsigned round, uint64_t tokens)
{
    static const double loads[LOADS] = {10, 50, 90};
    const struct way *way            = &ways[index];
    double(*into)[ROUNDS]            = figures[index];
    uint64_t arrivals                = tokens + MORE * tokens / TOKENS;

    for (uint32_t i = 0; i < SLOTS; i++)
        open_slot(way, &slots[i]);
    (void)run_full(4 * SLOTS);
    double period  = run_full(tokens);
    into[0][round] = period;
    into[1][round] = run_alone(tokens);
    for (uint32_t load = 0; load < LOADS; load++) {
        run_arrivals(period * 100.0 / loads[load], arrivals);
        into[2 + 3 * load][round] = (double)times[arrivals / 2];
        into[3 + 3 * load][round] = (double)times[arrivals * 99 / 100];
        into[4 + 3 * load][round] = (double)times[arrivals * 999 / 1000];
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        close_slot(way, &slots[i]);
}

static void print_way(size_t index)
{
    static const char *const names[FIGURES] = {"full",   "alone",    "10_p50", "10_p99", "10_p99.9", "50_p50",
                                               "50_p99", "50_p99.9", "90_p50", "90_p99", "90_p99.9"};
    char name[64];

    for (uint32_t i = 0; i < FIGURES; i++) {
        snprintf(name, sizeof(name), "%s_%s", ways[index].name, names[i]);
        measure_print("serve", name, who, "ns", figures[index][i], ROUNDS);
    }
}

int main(int argc, char **argv)
{
    bool is_small = argc == 2 && strcmp(argv[1], "small") == 0;

    if (argc > 1 && !is_small) {
        fprintf(stderr, "Usage: %s [small]\n", argv[0]);
        return 2;
    }
    open_device();
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < WAYS; i++)
            measure_way(i, round, is_small ? TOKENS / 100 : TOKENS);
    for (size_t i = 0; i < WAYS; i++)
        print_way(i);
    return 0;
}
