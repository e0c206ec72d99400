/* Trireme: the suite `stream`: throughput and latency of empty operations.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_stream.h"

#include "tools/output/output.h"

#include <stdlib.h>
#include <time.h>

enum {
    LAUNCHES     = 100000,
    TRIPS        = 5000,
    HOPS         = 20000,
    SLEEPS       = 40,
    BATCH        = 64,
    INLINE_BATCH = 32,
    SLEEP_NS     = 2000000, /* long enough for every worker to fall asleep */
    P50          = 50,
    P99          = 99,
};

/* ---- throughput ---------------------------------------------------------------------------------------- */

static int32_t launch_many(struct bench *bench, uint64_t count, uint64_t flush_every)
{
    struct trm_stream *stream = bench->streams[0];
    int32_t status            = TRM_OK;

    for (uint64_t i = 1; i <= count && status == TRM_OK; i++) {
        status = bench_launch_empty(bench, stream);
        if (status == TRM_OK && flush_every && i % flush_every == 0)
            status = trm_stream_flush(stream);
    }
    return status;
}

/* The launching thread also waits, and runs the queued work meanwhile: batches are too small to reach another
 * thread first. */
static int32_t sample_launch_inline(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t batches = bench_scale(bench, LAUNCHES) / INLINE_BATCH, begin = bench_now();
    int32_t status = TRM_OK;

    (void)test;
    for (uint64_t i = 0; i < batches && status == TRM_OK; i++) {
        status = launch_many(bench, INLINE_BATCH, 0);
        if (status == TRM_OK)
            status = trm_stream_sync(bench->streams[0]);
    }
    *value = (double)(bench_now() - begin) / (double)(batches * INLINE_BATCH);
    return status;
}

static int32_t launch_post(struct bench *bench, struct trm_stream *stream)
{
    static const struct trm_grid one = {{1, 1, 1}, {1, 1, 1}, 0, 0};
    struct trm_argument argument     = trm_arg_u64((uint64_t)(uintptr_t)&bench->wake);
    int32_t status                   = trm_launch(stream, bench->post, &one, &argument, 1);

    return status == TRM_OK ? trm_stream_flush(stream) : status;
}

/* The launching thread never waits through Trireme, so other threads have to run all work. The last kernel
 * wakes it. */
static int32_t sample_launch_worker(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = bench_scale(bench, LAUNCHES), begin = bench_now();
    int32_t status = launch_many(bench, count, BATCH);

    (void)test;
    if (status == TRM_OK)
        status = launch_post(bench, bench->streams[0]);
    if (status == TRM_OK)
        bench_wait_for_wake(bench);
    *value = (double)(bench_now() - begin) / (double)count;
    return status;
}

/* The cost of the call to trm_launch() alone, in batches small enough not to fill the queue. */
static int32_t sample_submit(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t batches = bench_scale(bench, LAUNCHES) / BATCH, spent = 0;
    int32_t status = TRM_OK;

    (void)test;
    for (uint64_t i = 0; i < batches && status == TRM_OK; i++) {
        uint64_t begin = bench_now();

        status = launch_many(bench, BATCH, 0);
        spent += bench_now() - begin;
        if (status == TRM_OK)
            status = trm_stream_sync(bench->streams[0]);
    }
    *value = (double)spent / (double)(batches * BATCH);
    return status;
}

/* ---- round trips --------------------------------------------------------------------------------------- */

static int32_t trip_by_sync(struct bench *bench)
{
    int32_t status = bench_launch_empty(bench, bench->streams[0]);

    return status == TRM_OK ? trm_stream_sync(bench->streams[0]) : status;
}

/* The host sleeps until the kernel wakes it. */
static int32_t trip_by_kernel(struct bench *bench)
{
    int32_t status = launch_post(bench, bench->streams[0]);

    if (status == TRM_OK)
        bench_wait_for_wake(bench);
    return status;
}

static void post_wake(void *user, int32_t status)
{
    (void)status;
    sem_post(user);
}

static int32_t trip_by_callback(struct bench *bench)
{
    int32_t status = trm_stream_callback(bench->streams[0], post_wake, &bench->wake);

    if (status == TRM_OK)
        status = trm_stream_flush(bench->streams[0]);
    if (status == TRM_OK)
        bench_wait_for_wake(bench);
    return status;
}

struct trip {
    int32_t (*run)(struct bench *bench);
    uint64_t count;
    uint64_t pause_ns; /* before each trip */
};

static const struct trip sync_trip            = {trip_by_sync, TRIPS, 0};
static const struct trip callback_trip        = {trip_by_callback, TRIPS, 0};
static const struct trip asleep_sync_trip     = {trip_by_sync, SLEEPS, SLEEP_NS};
static const struct trip asleep_kernel_trip   = {trip_by_kernel, SLEEPS, SLEEP_NS};
static const struct trip asleep_callback_trip = {trip_by_callback, SLEEPS, SLEEP_NS};

static void pause_for(uint64_t nanoseconds)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)nanoseconds};

    nanosleep(&pause, NULL);
}

/* user: struct trip; argument: the percentile. */
static int32_t sample_trips(struct bench *bench, const struct bench_case *test, double *value)
{
    const struct trip *trip = test->user;
    uint64_t count          = bench_scale(bench, trip->count);
    uint64_t *latencies     = output_allocate(count, sizeof(*latencies));
    int32_t status          = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++) {
        uint64_t begin;

        if (trip->pause_ns)
            pause_for(trip->pause_ns);
        begin        = bench_now();
        status       = trip->run(bench);
        latencies[i] = bench_now() - begin;
    }
    *value = bench_percentile(latencies, count, test->argument);
    free(latencies);
    return status;
}

/* ---- two streams --------------------------------------------------------------------------------------- */

/* A chain of kernels that goes back and forth between the streams. argument: flush after each. */
static int32_t sample_hop(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = bench_scale(bench, HOPS), begin = bench_now();
    struct trm_point last = {NULL, 0};
    int32_t status        = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++) {
        struct trm_stream *stream = bench->streams[i % 2];

        if (i > 0)
            status = trm_stream_wait(stream, last);
        if (status == TRM_OK)
            status = bench_launch_empty(bench, stream);
        if (status == TRM_OK)
            status = trm_stream_mark(stream, &last);
        if (status == TRM_OK && test->argument)
            status = trm_stream_flush(stream);
    }
    if (status == TRM_OK)
        status = trm_point_wait(last, TRM_FOREVER);
    *value = (double)(bench_now() - begin) / (double)count;
    return status;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

static const struct bench_case cases[] = {
    {
        .name   = "launch_inline",
        .help   = "empty kernel, many launches and one wait; the waiting thread may run them",
        .unit   = "ns",
        .needs  = BENCH_NEEDS_EMPTY,
        .setup  = bench_streams_setup,
        .sample = sample_launch_inline,
    },
    {
        .name   = "launch_worker",
        .help   = "empty kernel, many launches, all run by other threads",
        .unit   = "ns",
        .needs  = BENCH_NEEDS_EMPTY | BENCH_NEEDS_POST,
        .setup  = bench_streams_setup,
        .sample = sample_launch_worker,
    },
    {
        .name   = "submit",
        .help   = "the cost of a launch to the caller",
        .unit   = "ns",
        .needs  = BENCH_NEEDS_EMPTY,
        .setup  = bench_streams_setup,
        .sample = sample_submit,
    },
    {
        .name     = "roundtrip_p50",
        .help     = "launch an empty kernel and wait: half of the trips are faster",
        .unit     = "ns",
        .needs    = BENCH_NEEDS_EMPTY,
        .argument = P50,
        .user     = &sync_trip,
        .setup    = bench_streams_setup,
        .sample   = sample_trips,
    },
    {
        .name     = "roundtrip_p99",
        .help     = "the same: 99 of 100 are faster",
        .unit     = "ns",
        .needs    = BENCH_NEEDS_EMPTY,
        .argument = P99,
        .user     = &sync_trip,
        .setup    = bench_streams_setup,
        .sample   = sample_trips,
    },
    {
        .name     = "roundtrip_asleep",
        .help     = "launch while all workers sleep; the kernel wakes the caller, which sleeps too",
        .unit     = "ns",
        .needs    = BENCH_NEEDS_POST,
        .argument = P50,
        .user     = &asleep_kernel_trip,
        .setup    = bench_streams_setup,
        .sample   = sample_trips,
    },
    {
        .name     = "roundtrip_asleep_sync",
        .help     = "launch while all workers sleep, and wait",
        .unit     = "ns",
        .needs    = BENCH_NEEDS_EMPTY,
        .argument = P50,
        .user     = &asleep_sync_trip,
        .setup    = bench_streams_setup,
        .sample   = sample_trips,
    },
    {
        .name   = "hop",
        .help   = "one step of a chain of kernels that goes back and forth between two streams",
        .unit   = "ns",
        .needs  = BENCH_NEEDS_EMPTY,
        .setup  = bench_streams_setup,
        .sample = sample_hop,
    },
    {
        .name     = "hop_flushed",
        .help     = "the same with a flush after each step",
        .unit     = "ns",
        .needs    = BENCH_NEEDS_EMPTY,
        .argument = 1,
        .setup    = bench_streams_setup,
        .sample   = sample_hop,
    },
    {
        .name     = "callback",
        .help     = "enqueue a host callback that wakes the sleeping caller",
        .unit     = "ns",
        .argument = P50,
        .user     = &callback_trip,
        .setup    = bench_streams_setup,
        .sample   = sample_trips,
    },
    {
        .name     = "callback_asleep",
        .help     = "the same while all other threads sleep",
        .unit     = "ns",
        .argument = P50,
        .user     = &asleep_callback_trip,
        .setup    = bench_streams_setup,
        .sample   = sample_trips,
    },
    {
        .name   = "event_record",
        .help   = "record an event on a stream",
        .unit   = "ns",
        .setup  = bench_streams_setup,
        .sample = bench_event_record,
    },
    {
        .name   = "event_wait",
        .help   = "let a stream wait for an event of another one",
        .unit   = "ns",
        .setup  = bench_streams_setup,
        .sample = bench_event_wait,
    },
    {
        .name   = "event_query",
        .help   = "ask whether an event has been reached",
        .unit   = "ns",
        .setup  = bench_streams_setup,
        .sample = bench_event_query,
    },
    {
        .name   = "event_create_destroy",
        .help   = "create many events, then destroy them",
        .unit   = "ns",
        .sample = bench_event_create_destroy,
    },
    {
        .name   = "stream_create_destroy",
        .help   = "create 10,000 streams, then destroy them",
        .unit   = "ns",
        .sample = bench_stream_create_destroy,
    },
    {
        .name   = "stream_bytes",
        .help   = "host memory of a stream that has been used",
        .unit   = "bytes",
        .sample = bench_stream_bytes,
    },
    {
        .name   = "event_bytes",
        .help   = "host memory of an event",
        .unit   = "bytes",
        .sample = bench_event_bytes,
    },
    {
        .name   = "context_open_close",
        .help   = "create a context, open the device, close both; the plugins are already loaded",
        .unit   = "us",
        .sample = bench_context_open_close,
    },
};

const struct bench_suite bench_stream_suite = {
    .name  = "stream",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
