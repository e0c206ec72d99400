/* The suite `collective` through pinned memory of the host, by hand: sums of floats across two devices that
 * do not reach each other. Each copies its floats to the host in pieces, reads those of the other one behind
 * it, and adds them; all three steps go on at the same time. Several lengths of a piece are tried, and the
 * best is shown.
 *
 *     make tests/bench/peer_staging
 *     TRIREME_COLLECTIVE_WAY=host tools/trireme bench collective    beside it
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

enum {
    DEVICES      = 2,
    ROUNDS       = 5,
    WARM_UP      = 5,
    LEAST_CALLS  = 20,
    MOST_CALLS   = 200,
    MOST_PIECES  = 1024,
    ADD_THREADS  = 256,
};

#define KIB ((size_t)1 << 10)

static const size_t piece_sizes[] = {256 * KIB, MIB, 4 * MIB, 16 * MIB};

static void check(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "peer_staging: %s\n", cudaGetErrorString(result));
    exit(1);
}

struct member {
    cudaStream_t down, up;
    float *input, *output, *theirs; /* on the device */
    float *host;                    /* its floats, pinned */
    cudaEvent_t is_down[MOST_PIECES], done;
};

static member members[DEVICES];

static __global__ void add(float4 *output, const float4 *one, const float4 *other, size_t count)
{
    size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        float4 a = one[i], b = other[i];
        output[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

static void open_member(int d, size_t most)
{
    member &own = members[d];

    check(cudaSetDevice(d));
    check(cudaStreamCreateWithFlags(&own.down, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&own.up, cudaStreamNonBlocking));
    for (float **memory : {&own.input, &own.output, &own.theirs}) {
        check(cudaMalloc(memory, most));
        check(cudaMemset(*memory, 0, most));
    }
    check(cudaHostAlloc(&own.host, most, cudaHostAllocPortable));
    for (cudaEvent_t &event : own.is_down)
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&own.done, cudaEventDisableTiming));
    check(cudaDeviceSynchronize());
}

/* The host memory of one call is used again by the next one when the other device has read it. */
static void copy_down(size_t bytes, size_t piece)
{
    for (int d = 0; d < DEVICES; d++) {
        check(cudaSetDevice(d));
        check(cudaStreamWaitEvent(members[d].down, members[1 - d].done, 0));
    }
    for (size_t at = 0, i = 0; at < bytes; at += piece, i++)
        for (int d = 0; d < DEVICES; d++) {
            member &own = members[d];
            check(cudaSetDevice(d));
            check(cudaMemcpyAsync((char *)own.host + at, (char *)own.input + at, std::min(piece, bytes - at),
                                  cudaMemcpyDeviceToHost, own.down));
            check(cudaEventRecord(own.is_down[i], own.down));
        }
}

static void copy_up_and_add(size_t bytes, size_t piece)
{
    for (size_t at = 0, i = 0; at < bytes; at += piece, i++)
        for (int d = 0; d < DEVICES; d++) {
            member &own = members[d], &other = members[1 - d];
            size_t length = std::min(piece, bytes - at), count = length / sizeof(float4);
            int blocks    = (int)std::min<size_t>((count + ADD_THREADS - 1) / ADD_THREADS, 512);
            check(cudaSetDevice(d));
            check(cudaStreamWaitEvent(own.up, other.is_down[i], 0));
            check(cudaMemcpyAsync((char *)own.theirs + at, (char *)other.host + at, length, cudaMemcpyHostToDevice,
                                  own.up));
            add<<<blocks, ADD_THREADS, 0, own.up>>>((float4 *)((char *)own.output + at),
                                                    (const float4 *)((char *)own.input + at),
                                                    (const float4 *)((char *)own.theirs + at), count);
            check(cudaGetLastError());
        }
    for (int d = 0; d < DEVICES; d++) {
        check(cudaSetDevice(d));
        check(cudaEventRecord(members[d].done, members[d].up));
    }
}

static void call(size_t bytes, size_t piece)
{
    copy_down(bytes, piece);
    copy_up_and_add(bytes, piece);
}

static void sync_all(void)
{
    for (member &one : members) {
        check(cudaStreamSynchronize(one.down));
        check(cudaStreamSynchronize(one.up));
    }
}

static double queued(size_t bytes, size_t piece)
{
    size_t calls = std::min<size_t>(std::max<size_t>((size_t(1) << 30) / bytes, LEAST_CALLS), MOST_CALLS);

    sync_all();
    uint64_t begin = measure_now();
    for (size_t i = 0; i < calls; i++)
        call(bytes, piece);
    sync_all();
    return double(measure_now() - begin) / double(calls) / 1e3;
}

static void measure(const char *name, size_t bytes)
{
    double best = 0;
    double times[ROUNDS], best_times[ROUNDS];
    char row[64];

    for (size_t piece : piece_sizes) {
        if (piece > bytes && piece != piece_sizes[0])
            continue;
        for (int i = 0; i < WARM_UP; i++)
            call(bytes, piece);
        for (double &time : times)
            time = queued(bytes, piece);
        std::sort(times, times + ROUNDS);
        if (best == 0 || times[ROUNDS / 2] < best) {
            best = times[ROUNDS / 2];
            std::copy(times, times + ROUNDS, best_times);
        }
    }
    snprintf(row, sizeof(row), "all_reduce_%s", name);
    measure_print("collective", row, "staging_by_hand", "us", best_times, ROUNDS);
}

int main(void)
{
    int devices = 0;

    check(cudaGetDeviceCount(&devices));
    if (devices < DEVICES) {
        fprintf(stderr, "peer_staging: there are fewer than two devices\n");
        return 1;
    }
    for (int d = 0; d < DEVICES; d++)
        open_member(d, 256 * MIB);
    measure("4KiB", 4 * KIB);
    measure("16KiB", 16 * KIB);
    measure("64KiB", 64 * KIB);
    measure("128KiB", 128 * KIB);
    measure("256KiB", 256 * KIB);
    measure("1MiB", MIB);
    measure("16MiB", 16 * MIB);
    measure("256MiB", 256 * MIB);
    return 0;
}
