/* The small cases of the suite `collective` by hand: sums of floats across two devices that reach each
 * other's memory, out of place, queued and with their wait. Four ways for the two streams to meet, by turns:
 *
 *     events    each device sums for itself; then both record an event, and each waits for the other's
 *     one       the first device sums for both; the other one's stream waits for its event
 *     memops    as events, with words in the host's memory that the streams write and wait for
 *     flags     the kernels themselves wait for each other, through words in each other's memory; a program
 *               with other work on its streams can make that wait forever
 *
 * `launches` has the two launches alone, in no order. The cases with `_host` have what the host
 * takes to enqueue: where that equals the whole, the host is the limit.
 *
 *     make tests/bench/peer_small_sums
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

enum {
    DEVICES       = 2,
    ROUNDS        = 9,
    WARM_UP       = 40,
    CALLS         = 1000,
    SINGLE_CALLS  = 200,
    EVENTS        = 64, /* of a stream, used in turn */
    MOST_THREADS  = 512,
    FLAG_DISTANCE = 32, /* words between the flags of two blocks */
};

static const size_t most_bytes = MIB;

static void check(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "peer_small_sums: %s\n", cudaGetErrorString(result));
    exit(1);
}

static void check(CUresult result)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "peer_small_sums: error %d of the driver\n", int(result));
    exit(1);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

struct span {
    const float4 *inputs[DEVICES];
    float4 *outputs[DEVICES]; /* a null pointer: none */
    unsigned count;
};

static __device__ void add(const span &span)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= span.count)
        return;
    float4 a = span.inputs[0][i], b = span.inputs[1][i];
    float4 sum = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    for (int d = 0; d < DEVICES; d++)
        if (span.outputs[d] != nullptr)
            span.outputs[d][i] = sum;
}

static __global__ void sum(span span)
{
    add(span);
}

/* Writes `value` to the other device's flag and waits for it in its own. */
static __device__ void meet(unsigned *mine, unsigned *theirs, unsigned value)
{
    unsigned seen;

    if (threadIdx.x != 0)
        return;
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(theirs), "r"(value) : "memory");
    do
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(mine) : "memory");
    while (int(seen - value) < 0);
}

static __global__ void sum_between_flags(span span, unsigned *mine, unsigned *theirs, unsigned value)
{
    meet(mine + blockIdx.x * FLAG_DISTANCE, theirs + blockIdx.x * FLAG_DISTANCE, value);
    __syncthreads();
    add(span);
    __syncthreads();
    meet(mine + blockIdx.x * FLAG_DISTANCE, theirs + blockIdx.x * FLAG_DISTANCE, value + 1);
}

/* ---- ways ---------------------------------------------------------------------------------------------- */

struct member {
    cudaStream_t stream;
    cudaEvent_t events[EVENTS];
    float4 *input, *output;
    unsigned *flags, *host_flag;
};

static member members[DEVICES];
static unsigned next_event, next_value;

static dim3 blocks_of(unsigned count)
{
    return dim3((count + MOST_THREADS - 1) / MOST_THREADS);
}

static span span_of(int device, bool is_for_both, size_t bytes)
{
    span span{};

    for (int d = 0; d < DEVICES; d++) {
        span.inputs[d]  = members[d].input;
        span.outputs[d] = is_for_both || d == device ? members[d].output : nullptr;
    }
    span.count = unsigned(bytes / sizeof(float4));
    return span;
}

static void launch(int device, bool is_for_both, size_t bytes)
{
    span span = span_of(device, is_for_both, bytes);

    check(cudaSetDevice(device));
    sum<<<blocks_of(span.count), std::min<unsigned>(span.count, MOST_THREADS), 0, members[device].stream>>>(
        span);
}

static void record(int device)
{
    check(cudaSetDevice(device));
    check(cudaEventRecord(members[device].events[next_event], members[device].stream));
}

static void wait_for(int device, int other)
{
    check(cudaSetDevice(device));
    check(cudaStreamWaitEvent(members[device].stream, members[other].events[next_event], 0));
}

static void call_launches(size_t bytes)
{
    for (int d = 0; d < DEVICES; d++)
        launch(d, false, bytes);
}

static void call_events(size_t bytes)
{
    for (int d = 0; d < DEVICES; d++) {
        launch(d, false, bytes);
        record(d);
    }
    for (int d = DEVICES - 1; d >= 0; d--)
        wait_for(d, 1 - d);
    next_event = (next_event + 1) % EVENTS;
}

/* The second stream had nothing to do since it waited for the first, so that the first need not wait. */
static void call_one(size_t bytes)
{
    launch(0, true, bytes);
    record(0);
    wait_for(1, 0);
    next_event = (next_event + 1) % EVENTS;
}

static void call_memops(size_t bytes)
{
    next_value++;
    for (int d = 0; d < DEVICES; d++) {
        CUstreamBatchMemOpParams both[2] = {};
        launch(d, false, bytes);
        both[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        both[0].writeValue.address   = CUdeviceptr(members[d].host_flag);
        both[0].writeValue.value     = next_value;
        both[1].waitValue.operation  = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        both[1].waitValue.address    = CUdeviceptr(members[1 - d].host_flag);
        both[1].waitValue.value      = next_value;
        both[1].waitValue.flags      = CU_STREAM_WAIT_VALUE_GEQ;
        check(cuStreamBatchMemOp(members[d].stream, 2, both, 0));
    }
}

static void call_flags(size_t bytes)
{
    next_value += 2;
    for (int d = 0; d < DEVICES; d++) {
        span span = span_of(d, false, bytes);
        check(cudaSetDevice(d));
        sum_between_flags<<<blocks_of(span.count), std::min<unsigned>(span.count, MOST_THREADS), 0,
                            members[d].stream>>>(span, members[d].flags, members[1 - d].flags, next_value);
    }
}

static void sync_all()
{
    for (int d = 0; d < DEVICES; d++) {
        check(cudaSetDevice(d));
        check(cudaStreamSynchronize(members[d].stream));
    }
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

struct way {
    const char *name;
    void (*call)(size_t bytes);
    double queued[ROUNDS], host[ROUNDS], single[ROUNDS];
};

static way ways[] = {{"launches", call_launches},
                     {"events", call_events},
                     {"one", call_one},
                     {"memops", call_memops},
                     {"flags", call_flags}};

static void open_member(int d)
{
    member &member = members[d];

    check(cudaSetDevice(d));
    check(cudaDeviceEnablePeerAccess(1 - d, 0));
    check(cudaStreamCreateWithFlags(&member.stream, cudaStreamNonBlocking));
    for (cudaEvent_t &event : member.events)
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaMalloc(&member.input, most_bytes));
    check(cudaMalloc(&member.output, most_bytes));
    check(cudaMalloc(&member.flags, most_bytes));
    check(cudaHostAlloc(&member.host_flag, sizeof(unsigned), cudaHostAllocPortable | cudaHostAllocMapped));
    check(cudaMemset(member.input, 0, most_bytes));
    check(cudaMemset(member.flags, 0, most_bytes));
    check(cudaDeviceSynchronize());
    *member.host_flag = 0;
}

static double single(const way &way, size_t bytes)
{
    double times[SINGLE_CALLS];

    for (double &time : times) {
        uint64_t begin = measure_now();
        way.call(bytes);
        sync_all();
        time = double(measure_now() - begin) / 1e3;
    }
    return measure_median(times, SINGLE_CALLS);
}

static void measure_round(way &way, int round, size_t bytes)
{
    for (int i = 0; i < WARM_UP; i++)
        way.call(bytes);
    sync_all();
    uint64_t begin = measure_now();
    for (int i = 0; i < CALLS; i++)
        way.call(bytes);
    uint64_t enqueued = measure_now();
    sync_all();
    way.queued[round] = double(measure_now() - begin) / CALLS / 1e3;
    way.host[round]   = double(enqueued - begin) / CALLS / 1e3;
    way.single[round] = single(way, bytes);
}

static void print(const char *name, const char *kind, const way &way, double *values)
{
    char row[64], who[64];

    snprintf(row, sizeof(row), "all_reduce_%s%s%s", kind, *kind != '\0' ? "_" : "", name);
    snprintf(who, sizeof(who), "by_hand_%s", way.name);
    measure_print("collective", row, who, "us", values, ROUNDS);
}

static void measure(const char *name, size_t bytes)
{
    for (int round = 0; round < ROUNDS; round++)
        for (way &way : ways)
            measure_round(way, round, bytes);
    for (way &way : ways) {
        print(name, "", way, way.queued);
        print(name, "host", way, way.host);
        print(name, "wait", way, way.single);
    }
}

int main()
{
    int count;

    check(cudaGetDeviceCount(&count));
    if (count < DEVICES) {
        fprintf(stderr, "peer_small_sums: it takes two devices\n");
        return 1;
    }
    for (int d = 0; d < DEVICES; d++)
        open_member(d);
    measure("4KiB", size_t(4) << 10);
    measure("16KiB", size_t(16) << 10);
    measure("64KiB", size_t(64) << 10);
    measure("128KiB", size_t(128) << 10);
    measure("256KiB", size_t(256) << 10);
    measure("1MiB", MIB);
    return 0;
}
