/* The cpu backend's own costs, without the core: its tables are driven directly, so that what the core
 * adds can be told apart. Prints a line a case, the median of several runs.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/host.h"

#include <unistd.h>

#define RUNS 9

static int32_t empty(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static const struct trm_cpu_kernel kernels[] = {{.name = "empty", .function = empty}};

static struct cpu_bench bench;
static struct trm_backend_kernel *kernel;
static uint64_t values[2];

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, const char *unit, double (*measure)(void))
{
    double results[RUNS];
    for (int i = 0; i < RUNS; i++)
        results[i] = measure();
    qsort(results, RUNS, sizeof(*results), by_size);
    printf("%-34s %10.4g %10.4g %10.4g %s\n", name, results[0], results[RUNS / 2], results[RUNS - 1], unit);
    fflush(stdout);
}

static struct trm_backend_stream *streams[2];

static void launch(int which)
{
    struct trm_launch_desc desc = cpu_bench_launch(kernel, 1);
    bench.stream->launch(streams[which], ++values[which], &desc);
}

static void wait_for(int which)
{
    bench.stream->wait(streams[which], values[which], UINT64_MAX);
}

static double throughput(void)
{
    enum {
        COUNT = 100000
    };
    uint64_t start = cpu_host_now();
    for (int i = 0; i < COUNT; i++)
        launch(0);
    wait_for(0);
    return (double)(cpu_host_now() - start) / COUNT;
}

/* No thread waits, so a worker runs everything. */
static double throughput_by_worker(void)
{
    enum {
        COUNT = 100000,
        BATCH = 64
    };
    uint64_t start = cpu_host_now(), done = 0;
    for (int i = 1; i <= COUNT; i++) {
        launch(0);
        if (i % BATCH == 0 || i == COUNT)
            bench.stream->flush(streams[0]);
    }
    while (done < values[0])
        bench.stream->query(streams[0], &done);
    return (double)(cpu_host_now() - start) / COUNT;
}

/* Batches that are never submitted before the wait. */
static double throughput_by_waiter(void)
{
    enum {
        COUNT = 4000,
        BATCH = 32
    };
    uint64_t start = cpu_host_now();
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < BATCH; j++)
            launch(0);
        wait_for(0);
    }
    return (double)(cpu_host_now() - start) / COUNT / BATCH;
}

static double enqueue_alone(void)
{
    enum {
        COUNT = 4000,
        BATCH = 32
    };
    uint64_t spent = 0;
    for (int i = 0; i < COUNT; i++) {
        uint64_t start = cpu_host_now();
        for (int j = 0; j < BATCH; j++)
            launch(0);
        spent += cpu_host_now() - start;
        wait_for(0);
    }
    return (double)spent / COUNT / BATCH;
}

static double round_trip(void)
{
    enum {
        COUNT = 100000
    };
    uint64_t start = cpu_host_now();
    for (int i = 0; i < COUNT; i++) {
        launch(0);
        wait_for(0);
    }
    return (double)(cpu_host_now() - start) / COUNT;
}

static void flush_and_poll(void)
{
    uint64_t done = 0;
    launch(0);
    bench.stream->flush(streams[0]);
    while (done < values[0])
        bench.stream->query(streams[0], &done);
}

static double through_warm_worker(void)
{
    enum {
        COUNT = 10000
    };
    uint64_t start = cpu_host_now();
    for (int i = 0; i < COUNT; i++)
        flush_and_poll();
    return (double)(cpu_host_now() - start) / COUNT;
}

static double through_sleeping_worker(void)
{
    enum {
        COUNT = 200
    };
    uint64_t spent = 0;
    for (int i = 0; i < COUNT; i++) {
        usleep(200);
        uint64_t start = cpu_host_now();
        flush_and_poll();
        spent += cpu_host_now() - start;
    }
    return (double)spent / COUNT;
}

static double hop(void)
{
    enum {
        COUNT = 20000
    };
    uint64_t start = cpu_host_now();
    for (int i = 0; i < COUNT; i++) {
        int to = i & 1, from = 1 - to;
        if (i > 0)
            bench.stream->wait_stream(streams[to], ++values[to], streams[from], values[from]);
        launch(to);
    }
    wait_for(0);
    wait_for(1);
    return (double)(cpu_host_now() - start) / COUNT;
}

static uint64_t copy_bytes;
static uint8_t *destination, *source;
static struct trm_backend_memory *memories[2];

static double copy(void)
{
    struct trm_copy_desc desc = {.struct_size = sizeof(desc),
                                 .destination = {.memory = memories[0]},
                                 .source      = {.memory = memories[1]},
                                 .size        = copy_bytes};
    uint64_t repeats = (256ull << 20) / copy_bytes, start = cpu_host_now();
    for (uint64_t i = 0; i < repeats; i++) {
        bench.stream->copy(streams[0], ++values[0], &desc);
        wait_for(0);
    }
    return (double)(repeats * copy_bytes) / (double)(cpu_host_now() - start);
}

static double plain_copy(void)
{
    uint64_t repeats = (256ull << 20) / copy_bytes, start = cpu_host_now();
    for (uint64_t i = 0; i < repeats; i++) {
        memcpy(destination, source, copy_bytes);
        __asm__ volatile("" ::"r"(destination) : "memory");
    }
    return (double)(repeats * copy_bytes) / (double)(cpu_host_now() - start);
}

static double fill(void)
{
    struct trm_fill_desc desc = {.struct_size  = sizeof(desc),
                                 .pattern_size = 4,
                                 .memory       = memories[0],
                                 .size         = copy_bytes,
                                 .pattern      = 0x12345678};
    uint64_t repeats = (256ull << 20) / copy_bytes, start = cpu_host_now();
    for (uint64_t i = 0; i < repeats; i++) {
        bench.stream->fill(streams[0], ++values[0], &desc);
        wait_for(0);
    }
    return (double)(repeats * copy_bytes) / (double)(cpu_host_now() - start);
}

static double plain_fill(void)
{
    uint64_t repeats = (256ull << 20) / copy_bytes, start = cpu_host_now();
    for (uint64_t i = 0; i < repeats; i++) {
        memset(destination, (int)i, copy_bytes);
        __asm__ volatile("" ::"r"(destination) : "memory");
    }
    return (double)(repeats * copy_bytes) / (double)(cpu_host_now() - start);
}

static void large(void)
{
    static const uint64_t sizes[] = {4u << 10, 64u << 10, 256u << 10, 1u << 20,
                                     4u << 20, 16u << 20, 64u << 20};
    char name[64];
    memories[0] = cpu_bench_memory(&bench, 64u << 20, &destination);
    memories[1] = cpu_bench_memory(&bench, 64u << 20, &source);
    memset(source, 1, 64u << 20);
    memset(destination, 2, 64u << 20);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        copy_bytes = sizes[i];
        snprintf(name, sizeof(name), "memcpy of %llu KiB, one thread", (unsigned long long)copy_bytes >> 10);
        report(name, "GB/s", plain_copy);
        snprintf(name, sizeof(name), "copy of %llu KiB", (unsigned long long)copy_bytes >> 10);
        report(name, "GB/s", copy);
    }
    report("memset of 64 MiB, one thread", "GB/s", plain_fill);
    report("fill of 64 MiB", "GB/s", fill);
    bench.memory->free(memories[0]);
    bench.memory->free(memories[1]);
}

int main(int argc, char **argv)
{
    uint64_t start = cpu_host_now();
    bench          = cpu_bench_open(argc > 1 ? argv[1] : "0");
    if (bench.device == NULL)
        return 1;
    struct trm_backend_module *module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    kernel                            = cpu_bench_kernel(&bench, module, "empty");
    streams[0]                        = cpu_bench_stream(&bench, 0);
    streams[1]                        = cpu_bench_stream(&bench, 0);
    launch(0);
    wait_for(0);
    printf("open to first kernel %.0f us\n", (double)(cpu_host_now() - start) / 1000);
    printf("%-34s %10s %10s %10s\n", "", "min", "median", "max");
    report("empty kernel, enqueue alone", "ns", enqueue_alone);
    report("empty kernel, run by the waiter", "ns", throughput_by_waiter);
    report("empty kernel, many, then a wait", "ns", throughput);
    report("empty kernel, through a worker", "ns", throughput_by_worker);
    report("enqueue and wait", "ns", round_trip);
    report("flush and poll, worker warm", "ns", through_warm_worker);
    report("flush and poll, worker asleep", "ns", through_sleeping_worker);
    report("hop across two streams", "ns", hop);
    large();
    bench.stream->destroy(streams[0]);
    bench.stream->destroy(streams[1]);
    bench.module->unload(module);
    cpu_bench_close(&bench);
    return 0;
}
