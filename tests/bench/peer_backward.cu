/* The case `hidden_64MiB` of `trireme bench collective` by hand, on two devices: a product of 1024 x 1024
 * matrices, with the library's own kernel, gives the gradient of each of 16 layers. Its sum across the
 * devices runs on streams of its own, of high priority, while the products go on. The sum is NCCL's, or that
 * of a kernel that adds one half of the floats on each device and writes it to both, whose devices wait for
 * nothing but flags in their memory. Several numbers of groups of that kernel are tried.
 *
 *     make tests/bench/peer_backward NCCL=DIR        DIR/include/nccl.h and DIR/lib/libnccl.so.2
 *     NCCL_NVLS_ENABLE=0 tests/bench/peer_backward   without multicast
 *
 * hidden_64MiB is what the case means. hidden_bound is what it would be if the products hid all sums but the
 * last one, which begins when nothing is left to hide it.
 * SPDX-License-Identifier: MIT
 */
#include "kernels/sgemm.cu"

#include "measure.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

enum {
    DEVICES     = 2,
    SIDE        = 1024,
    LAYERS      = 16,
    ROUNDS      = 5,
    PASSES      = 20,
    WARM_UP     = 5,
    SUM_THREADS = 512,
};

static const size_t layer_floats = size_t(SIDE) * SIDE;

/* What a device's kernels tell the other one; numbers of calls so far, and of groups that have ended. */
struct flags {
    unsigned begun, ended;
};

struct member {
    cudaStream_t products, sums;
    cudaEvent_t done[LAYERS], summed;
    float *matrix, *gradients;
    struct flags *flags;
    ncclComm_t communicator;
};

static member members[DEVICES];
static unsigned calls, groups_ended;

static void check(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "peer_backward: %s\n", cudaGetErrorString(result));
    exit(1);
}

static void check(ncclResult_t result)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "peer_backward: %s\n", ncclGetErrorString(result));
    exit(1);
}

/* ---- a sum by hand ----------------------------------------------------------------------------------- */

static __device__ void wait_for(const unsigned *word, unsigned value)
{
    while (int(*(const volatile unsigned *)word - value) < 0)
        ;
    __threadfence_system();
}

/* begun: the number of this call; ended: that of all groups that will have ended behind it */
static __global__ void add_half(float4 *own, float4 *other, size_t first, size_t count,
                                struct flags *own_flags, struct flags *other_flags, unsigned begun,
                                unsigned ended)
{
    size_t stride = size_t(gridDim.x) * blockDim.x;

    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            __threadfence_system();
            *(volatile unsigned *)&other_flags->begun = begun;
        }
        wait_for(&own_flags->begun, begun);
    }
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        float4 a = own[first + i], b = other[first + i];
        float4 sum       = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        own[first + i]   = sum;
        other[first + i] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        atomicAdd_system(&other_flags->ended, 1);
        if (blockIdx.x == 0)
            wait_for(&own_flags->ended, ended);
    }
}

static void sum_by_hand(int layer, unsigned groups)
{
    size_t half = layer_floats / 4 / DEVICES;

    calls++;
    groups_ended += groups;
    for (int d = 0; d < DEVICES; d++) {
        float4 *own   = (float4 *)(members[d].gradients + layer * layer_floats);
        float4 *other = (float4 *)(members[1 - d].gradients + layer * layer_floats);
        check(cudaSetDevice(d));
        add_half<<<groups, SUM_THREADS, 0, members[d].sums>>>(own, other, d * half, half, members[d].flags,
                                                              members[1 - d].flags, calls, groups_ended);
        check(cudaGetLastError());
    }
}

static void sum_by_nccl(int layer)
{
    check(ncclGroupStart());
    for (int d = 0; d < DEVICES; d++) {
        float *gradient = members[d].gradients + layer * layer_floats;
        check(ncclAllReduce(gradient, gradient, layer_floats, ncclFloat, ncclSum, members[d].communicator,
                            members[d].sums));
    }
    check(ncclGroupEnd());
}

/* ---- a pass ------------------------------------------------------------------------------------------ */

static void open_member(int d)
{
    member &own = members[d];
    int least, most;

    check(cudaSetDevice(d));
    check(cudaDeviceEnablePeerAccess(1 - d, 0));
    check(cudaDeviceGetStreamPriorityRange(&least, &most));
    check(cudaStreamCreateWithFlags(&own.products, cudaStreamNonBlocking));
    check(cudaStreamCreateWithPriority(&own.sums, cudaStreamNonBlocking, most));
    for (cudaEvent_t &event : own.done)
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&own.summed, cudaEventDisableTiming));
    check(cudaMalloc(&own.matrix, layer_floats * sizeof(float)));
    check(cudaMemset(own.matrix, 0, layer_floats * sizeof(float)));
    check(cudaMalloc(&own.gradients, LAYERS * layer_floats * sizeof(float)));
    check(cudaMemset(own.gradients, 0, LAYERS * layer_floats * sizeof(float)));
    check(cudaMalloc(&own.flags, sizeof(*own.flags)));
    check(cudaMemset(own.flags, 0, sizeof(*own.flags)));
    check(cudaDeviceSynchronize());
}

static void multiply(int layer)
{
    const struct sgemm_arguments arguments = {SIDE, SIDE, SIDE, 1, 0};

    for (int d = 0; d < DEVICES; d++) {
        member &own = members[d];
        check(cudaSetDevice(d));
        sgemm<<<dim3(SIDE / 64, SIDE / 64), ITEMS, 0, own.products>>>(
            own.matrix, own.matrix, own.gradients + layer * layer_floats, arguments);
        check(cudaGetLastError());
        check(cudaEventRecord(own.done[layer], own.products));
    }
}

static void follow(int layer)
{
    for (int d = 0; d < DEVICES; d++)
        check(cudaStreamWaitEvent(members[d].sums, members[d].done[layer], 0));
}

static void sync_all()
{
    for (int d = 0; d < DEVICES; d++) {
        check(cudaStreamSynchronize(members[d].products));
        check(cudaStreamSynchronize(members[d].sums));
    }
}

/* Nanoseconds. groups: of the sum by hand; 0: NCCL's sum. Of layers from `first` on there is a sum. */
static double pass(bool has_products, bool has_sums, unsigned groups, int first)
{
    sync_all();
    uint64_t begin = measure_now();
    for (int layer = 0; layer < LAYERS; layer++) {
        if (has_products)
            multiply(layer);
        if (!has_sums || layer < first)
            continue;
        if (has_products)
            follow(layer);
        if (groups != 0)
            sum_by_hand(layer, groups);
        else
            sum_by_nccl(layer);
    }
    for (int d = 0; d < DEVICES; d++) {
        check(cudaEventRecord(members[d].summed, members[d].sums));
        check(cudaStreamWaitEvent(members[d].products, members[d].summed, 0));
    }
    sync_all();
    return double(measure_now() - begin);
}

static double best(bool has_products, bool has_sums, unsigned groups, int first)
{
    double least = pass(has_products, has_sums, groups, first);

    for (int i = 1; i < PASSES; i++)
        least = std::min(least, pass(has_products, has_sums, groups, first));
    return least;
}

static void measure(const char *name, unsigned groups)
{
    double products[ROUNDS], sums[ROUNDS], both[ROUNDS], last[ROUNDS], hidden[ROUNDS], bound[ROUNDS];

    for (int i = 0; i < WARM_UP; i++)
        pass(true, true, groups, 0);
    for (int round = 0; round < ROUNDS; round++) {
        double alone = best(true, false, groups, 0), summed = best(false, true, groups, 0);
        double together = best(true, true, groups, 0), tail = best(true, true, groups, LAYERS - 1);
        products[round] = alone / 1e3;
        sums[round]     = summed / 1e3;
        both[round]     = together / 1e3;
        last[round]     = (tail - alone) / 1e3;
        hidden[round]   = 100 * (1 - (together - alone) / summed);
        bound[round]    = 100 * (1 - (tail - alone) / summed);
    }
    measure_print("collective", "hidden_64MiB", name, "%", hidden, ROUNDS);
    measure_print("collective", "hidden_bound", name, "%", bound, ROUNDS);
    measure_print("collective", "backward_products", name, "us", products, ROUNDS);
    measure_print("collective", "backward_sums", name, "us", sums, ROUNDS);
    measure_print("collective", "backward_both", name, "us", both, ROUNDS);
    measure_print("collective", "backward_last_sum", name, "us", last, ROUNDS);
}

int main()
{
    static const unsigned groups[] = {16, 32, 64, 132, 264};
    ncclComm_t communicators[DEVICES];
    char name[32];
    int count;

    check(cudaGetDeviceCount(&count));
    if (count < DEVICES) {
        fprintf(stderr, "peer_backward: there are fewer than two devices\n");
        return 1;
    }
    check(ncclCommInitAll(communicators, DEVICES, nullptr));
    for (int d = 0; d < DEVICES; d++) {
        members[d].communicator = communicators[d];
        open_member(d);
    }
    measure("nccl", 0);
    for (unsigned number : groups) {
        snprintf(name, sizeof(name), "cuda, %u groups", number);
        measure(name, number);
    }
    return 0;
}
