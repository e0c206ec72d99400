/* The suite `collective` of `trireme bench` by NCCL, called directly: sums of floats across all devices that
 * are visible (CUDA_VISIBLE_DEVICES), out of place, queued and with their wait.
 *
 *     make tests/bench/peer_nccl NCCL=DIR        DIR/include/nccl.h and DIR/lib/libnccl.so.2
 *     NCCL_NVLS_ENABLE=0 tests/bench/peer_nccl   without multicast
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum {
    ROUNDS       = 5,
    WARM_UP      = 40,
    MOST_CALLS   = 1000,
    LEAST_CALLS  = 20,
    SINGLE_CALLS = 200,
};

static void check(cudaError_t result)
{
    if (result == cudaSuccess)
        return;
    fprintf(stderr, "peer_nccl: %s\n", cudaGetErrorString(result));
    exit(1);
}

static void check(ncclResult_t result)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "peer_nccl: %s\n", ncclGetErrorString(result));
    exit(1);
}

struct team {
    int devices = 0;
    std::vector<ncclComm_t> communicators;
    std::vector<cudaStream_t> streams;
    std::vector<void *> inputs, outputs;
};

static void open_team(team &team, size_t most)
{
    check(cudaGetDeviceCount(&team.devices));
    if (team.devices < 2) {
        fprintf(stderr, "peer_nccl: there are fewer than two devices\n");
        exit(1);
    }
    team.communicators.resize(team.devices);
    team.streams.resize(team.devices);
    team.inputs.resize(team.devices);
    team.outputs.resize(team.devices);
    check(ncclCommInitAll(team.communicators.data(), team.devices, nullptr));
    for (int d = 0; d < team.devices; d++) {
        check(cudaSetDevice(d));
        check(cudaStreamCreateWithFlags(&team.streams[d], cudaStreamNonBlocking));
        check(cudaMalloc(&team.inputs[d], most));
        check(cudaMalloc(&team.outputs[d], most));
        check(cudaMemset(team.inputs[d], 0, most));
        check(cudaDeviceSynchronize());
    }
}

static void call(team &team, size_t bytes)
{
    check(ncclGroupStart());
    for (int d = 0; d < team.devices; d++)
        check(ncclAllReduce(team.inputs[d], team.outputs[d], bytes / sizeof(float), ncclFloat, ncclSum,
                            team.communicators[d], team.streams[d]));
    check(ncclGroupEnd());
}

static void sync_all(team &team)
{
    for (int d = 0; d < team.devices; d++)
        check(cudaStreamSynchronize(team.streams[d]));
}

static double queued(team &team, size_t bytes)
{
    size_t calls = std::min<size_t>(std::max<size_t>((size_t(1) << 30) / bytes, LEAST_CALLS), MOST_CALLS);

    sync_all(team);
    uint64_t begin = measure_now();
    for (size_t i = 0; i < calls; i++)
        call(team, bytes);
    sync_all(team);
    return double(measure_now() - begin) / double(calls) / 1e3;
}

static double single(team &team, size_t bytes)
{
    std::vector<double> times(bytes > 4 * MIB ? LEAST_CALLS : SINGLE_CALLS);

    for (double &time : times) {
        uint64_t begin = measure_now();
        call(team, bytes);
        sync_all(team);
        time = double(measure_now() - begin) / 1e3;
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static void measure(team &team, const char *name, size_t bytes)
{
    double call_times[ROUNDS], wait_times[ROUNDS];
    char row[64];

    for (int i = 0; i < WARM_UP; i++) {
        call(team, bytes);
        sync_all(team);
    }
    for (int round = 0; round < ROUNDS; round++) {
        call_times[round] = queued(team, bytes);
        wait_times[round] = single(team, bytes);
    }
    snprintf(row, sizeof(row), "all_reduce_%s", name);
    measure_print("collective", row, "nccl", "us", call_times, ROUNDS);
    snprintf(row, sizeof(row), "all_reduce_wait_%s", name);
    measure_print("collective", row, "nccl", "us", wait_times, ROUNDS);
}

int main()
{
    team team;

    open_team(team, 256 * MIB);
    measure(team, "4KiB", size_t(4) << 10);
    measure(team, "16KiB", size_t(16) << 10);
    measure(team, "64KiB", size_t(64) << 10);
    measure(team, "128KiB", size_t(128) << 10);
    measure(team, "256KiB", size_t(256) << 10);
    measure(team, "1MiB", 1 * MIB);
    measure(team, "16MiB", 16 * MIB);
    measure(team, "256MiB", 256 * MIB);
    return 0;
}
