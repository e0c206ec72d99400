/* Trireme: the suite `alloc`: buffers of 1 MiB, beside malloc() and mmap() doing the same.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    BLOCK       = 1 << 20,
    PAIRS       = 20000,
    WRITES      = 1000,
    LIVE        = 64,
    LIVE_ROUNDS = 16
};

/* A way to get a block, write all of it, and give it back. */
struct alloc_way {
    int32_t (*acquire)(struct bench *bench, void **block);
    int32_t (*write)(struct bench *bench, void *block);
    void (*release)(struct bench *bench, void *block);
};

/* ---- Trireme's ----------------------------------------------------------------------------------------- */

static int32_t buffer_acquire(struct bench *bench, void **block)
{
    struct trm_buffer *buffer;
    int32_t status = trm_buffer_create(bench->device, TRM_MEMORY_DEVICE, BLOCK, &buffer);

    if (status == TRM_OK)
        *block = buffer;
    return status;
}

/* The host writes if it can access the memory, as for the other ways; otherwise the device does. */
static int32_t buffer_write(struct bench *bench, void *block)
{
    void *pointer;
    int32_t status;

    if (trm_buffer_host_pointer(block, &pointer) == TRM_OK) {
        memset(pointer, 1, BLOCK);
        return TRM_OK;
    }
    status = trm_fill(bench->streams[0], trm_span_whole(block), 1, 1);
    return status == TRM_OK ? trm_stream_sync(bench->streams[0]) : status;
}

static void buffer_release(struct bench *bench, void *block)
{
    (void)bench;
    trm_buffer_destroy(block);
}

static int32_t ordered_acquire(struct bench *bench, void **block)
{
    struct trm_buffer *buffer;
    int32_t status = trm_stream_alloc(bench->streams[0], BLOCK, &buffer);

    if (status == TRM_OK)
        *block = buffer;
    return status;
}

/* Only enqueues: memory in stream order needs no wait. */
static int32_t ordered_write(struct bench *bench, void *block)
{
    return trm_fill(bench->streams[0], trm_span_whole(block), 1, 1);
}

static void ordered_release(struct bench *bench, void *block)
{
    trm_stream_free(bench->streams[0], block);
}

/* ---- the C library's and the operating system's -------------------------------------------------------- */

/* Keep the compiler from eliminating memory that is never read. */
static void use_memory(void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static int32_t no_host_memory(struct bench *bench)
{
    bench->complaint = "no host memory";
    return TRM_ERROR_OUT_OF_HOST_MEMORY;
}

static int32_t malloc_acquire(struct bench *bench, void **block)
{
    *block = malloc(BLOCK);
    use_memory(*block);
    return *block ? TRM_OK : no_host_memory(bench);
}

static int32_t host_write(struct bench *bench, void *block)
{
    (void)bench;
    memset(block, 1, BLOCK);
    use_memory(block);
    return TRM_OK;
}

static void malloc_release(struct bench *bench, void *block)
{
    (void)bench;
    free(block);
}

static int32_t mmap_acquire(struct bench *bench, void **block)
{
    void *memory = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return no_host_memory(bench);
    *block = memory;
    return TRM_OK;
}

static void mmap_release(struct bench *bench, void *block)
{
    (void)bench;
    munmap(block, BLOCK);
}

static const struct alloc_way buffer_way  = {buffer_acquire, buffer_write, buffer_release};
static const struct alloc_way ordered_way = {ordered_acquire, ordered_write, ordered_release};
static const struct alloc_way malloc_way  = {malloc_acquire, host_write, malloc_release};
static const struct alloc_way mmap_way    = {mmap_acquire, host_write, mmap_release};

/* ---- the samples --------------------------------------------------------------------------------------- */

static double per_second(uint64_t count, uint64_t nanoseconds)
{
    return (double)count / ((double)nanoseconds * 1e-9);
}

/* Waits for the work of the ways in stream order, whose time includes it; the other ways enqueue nothing. */
static int32_t drain(struct bench *bench)
{
    return bench->streams[0] ? trm_stream_sync(bench->streams[0]) : TRM_OK;
}

/* argument: 1: write all of each block. */
static int32_t sample_pairs(struct bench *bench, const struct bench_case *test, double *value)
{
    const struct alloc_way *way = test->user;
    uint64_t count = bench_scale(bench, test->argument ? WRITES : PAIRS), begin = bench_now();
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++) {
        void *block;

        status = way->acquire(bench, &block);
        if (status != TRM_OK)
            return status;
        if (test->argument)
            status = way->write(bench, block);
        way->release(bench, block);
    }
    if (status == TRM_OK)
        status = drain(bench);
    *value = per_second(count, bench_now() - begin);
    return status;
}

/* Get LIVE blocks and write them all, then give them back. */
static int32_t one_live_round(struct bench *bench, const struct alloc_way *way)
{
    void *blocks[LIVE];
    int count      = 0;
    int32_t status = TRM_OK;

    while (count < LIVE && status == TRM_OK) {
        status = way->acquire(bench, &blocks[count]);
        if (status == TRM_OK)
            count++;
    }
    for (int i = 0; i < count && status == TRM_OK; i++)
        status = way->write(bench, blocks[i]);
    while (count > 0)
        way->release(bench, blocks[--count]);
    return status;
}

static int32_t sample_live(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t rounds = bench_scale(bench, LIVE_ROUNDS), begin = bench_now();
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < rounds && status == TRM_OK; i++)
        status = one_live_round(bench, test->user);
    if (status == TRM_OK)
        status = drain(bench);
    *value = per_second(rounds * LIVE, bench_now() - begin);
    return status;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

#define ALLOC_CASE(whose, label, text, way, writes, prepare, function)                               \
    {                                                                                                \
        .name = (label), .help = (text), .unit = "op/s", .reference = (whose), .argument = (writes), \
        .user = &(way), .setup = (prepare), .sample = (function),                                    \
    }

#define PAIR "allocate and free"
#define WRITE "allocate, write all, free"
#define LIVE_64 "allocate 64, write all, free them"

static const struct bench_case cases[] = {
    ALLOC_CASE(NULL, "alloc_1MiB", PAIR, buffer_way, 0, bench_streams_setup, sample_pairs),
    ALLOC_CASE(NULL, "alloc_write_1MiB", WRITE, buffer_way, 1, bench_streams_setup, sample_pairs),
    ALLOC_CASE(NULL, "alloc_live64_1MiB", LIVE_64, buffer_way, 1, bench_streams_setup, sample_live),
    ALLOC_CASE(NULL, "stream_alloc_1MiB", PAIR, ordered_way, 0, bench_streams_setup, sample_pairs),
    ALLOC_CASE(NULL, "stream_alloc_write_1MiB", WRITE, ordered_way, 1, bench_streams_setup, sample_pairs),
    ALLOC_CASE(NULL, "stream_alloc_live64_1MiB", LIVE_64, ordered_way, 1, bench_streams_setup, sample_live),
    ALLOC_CASE("malloc", "alloc_1MiB", PAIR, malloc_way, 0, NULL, sample_pairs),
    ALLOC_CASE("malloc", "alloc_write_1MiB", WRITE, malloc_way, 1, NULL, sample_pairs),
    ALLOC_CASE("malloc", "alloc_live64_1MiB", LIVE_64, malloc_way, 1, NULL, sample_live),
    ALLOC_CASE("mmap", "alloc_1MiB", PAIR, mmap_way, 0, NULL, sample_pairs),
    ALLOC_CASE("mmap", "alloc_write_1MiB", WRITE, mmap_way, 1, NULL, sample_pairs),
    ALLOC_CASE("mmap", "alloc_live64_1MiB", LIVE_64, mmap_way, 1, NULL, sample_live),
};

const struct bench_suite bench_alloc_suite = {
    .name  = "alloc",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
