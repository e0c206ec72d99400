/* Trireme: the suite `copy`: bandwidth of copies and fills, and the cost of mapping.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include <stdlib.h>
#include <string.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

enum {
    MOST_COPIES     = 4096,
    MAPPINGS        = 10000,
    COPIED_MAPPINGS = 4, /* on devices where mapping copies */
};

/* ---- setup --------------------------------------------------------------------------------------------- */

static int32_t make_buffers(struct bench *bench, uint64_t size)
{
    for (int i = 0; i < 2; i++) {
        int32_t status = trm_buffer_create(bench->device, TRM_MEMORY_DEVICE, size, &bench->buffers[i]);

        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

/* Two host buffers with different contents; writing these also makes the pages resident. */
static int32_t make_host(struct bench *bench, uint64_t size)
{
    for (int i = 0; i < 2; i++) {
        bench->host[i] = aligned_alloc(4096, size);
        if (!bench->host[i]) {
            bench->complaint = "no host memory";
            return TRM_ERROR_OUT_OF_HOST_MEMORY;
        }
        memset(bench->host[i], 0x40 + i, size);
    }
    return TRM_OK;
}

/* argument: bytes of each buffer. */
static int32_t setup_buffers(struct bench *bench, const struct bench_case *test)
{
    int32_t status = bench_streams_setup(bench, test);

    return status == TRM_OK ? make_buffers(bench, test->argument) : status;
}

static int32_t setup_copy(struct bench *bench, const struct bench_case *test)
{
    int32_t status = setup_buffers(bench, test);

    return status == TRM_OK ? make_host(bench, test->argument) : status;
}

static int32_t setup_host(struct bench *bench, const struct bench_case *test)
{
    return make_host(bench, test->argument);
}

/* ---- copies in one direction --------------------------------------------------------------------------- */

enum direction {
    UPLOAD,
    DOWNLOAD,
    DEVICE
};

static int32_t enqueue_copy(struct bench *bench, enum direction direction)
{
    struct trm_stream *stream = bench->streams[0];

    switch (direction) {
    case UPLOAD:
        return trm_upload(stream, trm_span_whole(bench->buffers[0]), bench->host[0]);
    case DOWNLOAD:
        return trm_download(stream, bench->host[1], trm_span_whole(bench->buffers[0]));
    default:
        return trm_copy(stream, trm_span_whole(bench->buffers[1]), trm_span_whole(bench->buffers[0]));
    }
}

static int32_t wrong_bytes(struct bench *bench)
{
    bench->complaint = "the bytes that arrived are not those that were sent";
    return TRM_ERROR_INTERNAL;
}

/* Check that the contents survive host → buffer 0 → host, by way of buffer 1 when that copy was measured. */
static int32_t check_copy(struct bench *bench, enum direction direction, uint64_t size)
{
    struct trm_stream *stream = bench->streams[0];
    struct trm_buffer *last   = bench->buffers[direction == DEVICE];
    int32_t status            = trm_download(stream, bench->host[1], trm_span_whole(last));

    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    if (status == TRM_OK && memcmp(bench->host[0], bench->host[1], size) != 0)
        return wrong_bytes(bench);
    return status;
}

static uint64_t copies_of(const struct bench *bench, uint64_t size)
{
    uint64_t count = MIB(128) / size;

    return bench_scale(bench, count > MOST_COPIES ? MOST_COPIES : count);
}

static int32_t sample_copy(struct bench *bench, const struct bench_case *test, enum direction direction,
                           double *value)
{
    uint64_t count = copies_of(bench, test->argument), begin, spent;
    int32_t status = enqueue_copy(bench, UPLOAD);

    if (status == TRM_OK)
        status = trm_stream_sync(bench->streams[0]);
    begin = bench_now();
    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = enqueue_copy(bench, direction);
    if (status == TRM_OK)
        status = trm_stream_sync(bench->streams[0]);
    spent  = bench_now() - begin;
    *value = (double)(test->argument * count) / (double)spent;
    return status == TRM_OK ? check_copy(bench, direction, test->argument) : status;
}

static int32_t sample_upload(struct bench *bench, const struct bench_case *test, double *value)
{
    return sample_copy(bench, test, UPLOAD, value);
}

static int32_t sample_download(struct bench *bench, const struct bench_case *test, double *value)
{
    return sample_copy(bench, test, DOWNLOAD, value);
}

static int32_t sample_device(struct bench *bench, const struct bench_case *test, double *value)
{
    return sample_copy(bench, test, DEVICE, value);
}

/* ---- rows, fills, mapping ------------------------------------------------------------------------------ */

/* Every second row of 4 KiB from the host into a buffer without gaps. argument: bytes of host memory. */
static int32_t sample_copy_2d(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t width = KIB(4), height = test->argument / (2 * width);
    struct trm_rows to   = {.buffer = bench->buffers[0], .pitch = width};
    struct trm_rows from = {.host = bench->host[0], .pitch = 2 * width};
    uint64_t count = bench_scale(bench, 8), begin = bench_now();
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = trm_copy_2d(bench->streams[0], &to, &from, width, height);
    if (status == TRM_OK)
        status = trm_stream_sync(bench->streams[0]);
    *value = (double)(width * height * count) / (double)(bench_now() - begin);
    return status;
}

static int32_t sample_fill(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = bench_scale(bench, 4), begin = bench_now();
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = trm_fill(bench->streams[0], trm_span_whole(bench->buffers[0]), 0x01020304, 4);
    if (status == TRM_OK)
        status = trm_stream_sync(bench->streams[0]);
    *value = (double)(test->argument * count) / (double)(bench_now() - begin);
    return status;
}

static int32_t sample_map(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = bench_scale(bench, bench->summary.unified ? MAPPINGS : COPIED_MAPPINGS), begin;
    int32_t status = trm_fill(bench->streams[0], trm_span_whole(bench->buffers[0]), 0, 4);

    (void)test;
    if (status == TRM_OK)
        status = trm_stream_sync(bench->streams[0]);
    begin = bench_now();
    for (uint64_t i = 0; i < count && status == TRM_OK; i++) {
        void *pointer;

        status = trm_buffer_map(bench->buffers[0], TRM_MAP_READ | TRM_MAP_WRITE, &pointer);
        if (status == TRM_OK)
            status = trm_buffer_unmap(bench->buffers[0]);
    }
    *value = (double)(bench_now() - begin) / (double)count;
    return status;
}

/* ---- the C library, on one thread ---------------------------------------------------------------------- */

/* Keep the compiler from eliminating writes that are never read. */
static void use_memory(void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static int32_t sample_memcpy(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = copies_of(bench, test->argument), begin = bench_now();

    for (uint64_t i = 0; i < count; i++) {
        memcpy(bench->host[1], bench->host[0], test->argument);
        use_memory(bench->host[1]);
    }
    *value = (double)(test->argument * count) / (double)(bench_now() - begin);
    return TRM_OK;
}

static int32_t sample_memset(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = bench_scale(bench, 4), begin = bench_now();

    for (uint64_t i = 0; i < count; i++) {
        memset(bench->host[1], (int)i, test->argument);
        use_memory(bench->host[1]);
    }
    *value = (double)(test->argument * count) / (double)(bench_now() - begin);
    return TRM_OK;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

#define COPY_CASE(label, text, bytes, function)                                                    \
    {                                                                                              \
        .name = (label), .help = (text), .unit = "GB/s", .argument = (bytes), .setup = setup_copy, \
        .sample = (function),                                                                      \
    }

static const struct bench_case cases[] = {
    COPY_CASE("upload_4KiB", "host to device, many at once", KIB(4), sample_upload),
    COPY_CASE("upload_64KiB", "the same, larger", KIB(64), sample_upload),
    COPY_CASE("upload_1MiB", "the same, larger", MIB(1), sample_upload),
    COPY_CASE("upload_16MiB", "the same, larger", MIB(16), sample_upload),
    COPY_CASE("upload_64MiB", "the same, larger", MIB(64), sample_upload),
    COPY_CASE("download_4KiB", "device to host, many at once", KIB(4), sample_download),
    COPY_CASE("download_64KiB", "the same, larger", KIB(64), sample_download),
    COPY_CASE("download_1MiB", "the same, larger", MIB(1), sample_download),
    COPY_CASE("download_16MiB", "the same, larger", MIB(16), sample_download),
    COPY_CASE("download_64MiB", "the same, larger", MIB(64), sample_download),
    COPY_CASE("device_4KiB", "device to device, many at once", KIB(4), sample_device),
    COPY_CASE("device_64KiB", "the same, larger", KIB(64), sample_device),
    COPY_CASE("device_1MiB", "the same, larger", MIB(1), sample_device),
    COPY_CASE("device_16MiB", "the same, larger", MIB(16), sample_device),
    COPY_CASE("device_64MiB", "the same, larger", MIB(64), sample_device),
    COPY_CASE("upload_2d_32MiB", "4,096 rows of 4 KiB, every second one of the host's", MIB(32),
              sample_copy_2d),
    {
        .name      = "memcpy_1t_64MiB",
        .help      = "memcpy() on one thread",
        .unit      = "GB/s",
        .reference = "libc",
        .argument  = MIB(64),
        .setup     = setup_host,
        .sample    = sample_memcpy,
    },
    {
        .name     = "fill_64MiB",
        .help     = "a pattern of four bytes",
        .unit     = "GB/s",
        .argument = MIB(64),
        .setup    = setup_buffers,
        .sample   = sample_fill,
    },
    {
        .name      = "memset_1t_64MiB",
        .help      = "memset() on one thread",
        .unit      = "GB/s",
        .reference = "libc",
        .argument  = MIB(64),
        .setup     = setup_host,
        .sample    = sample_memset,
    },
    {
        .name     = "map_unmap_64MiB",
        .help     = "map an idle buffer for reading and writing, and unmap it",
        .unit     = "ns",
        .argument = MIB(64),
        .setup    = setup_buffers,
        .sample   = sample_map,
    },
};

const struct bench_suite bench_copy_suite = {
    .name  = "copy",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
