/* Trireme: the suite `stream`: the cost of events, streams and contexts in time and in memory.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_stream.h"

#include "tools/output/output.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    EVENT_OPERATIONS = 50000,
    EVENT_BATCH      = 500,
    OBJECTS          = 10000,
    OPENINGS         = 10
};

/* ---- events -------------------------------------------------------------------------------------------- */

typedef int32_t (*event_step_fn)(struct bench *bench);

/* Time `step` in batches. The streams are drained between batches, outside of the measured time. */
static int32_t time_event_steps(struct bench *bench, event_step_fn step, double *value)
{
    uint64_t batches = bench_scale(bench, EVENT_OPERATIONS / EVENT_BATCH), spent = 0;
    int32_t status = TRM_OK;

    for (uint64_t batch = 0; batch < batches && status == TRM_OK; batch++) {
        uint64_t begin = bench_now();

        for (int i = 0; i < EVENT_BATCH && status == TRM_OK; i++)
            status = step(bench);
        spent += bench_now() - begin;
        for (int i = 0; i < 2 && status == TRM_OK; i++)
            status = trm_stream_sync(bench->streams[i]);
    }
    *value = (double)spent / (double)(batches * EVENT_BATCH);
    return status;
}

static int32_t step_record(struct bench *bench)
{
    return trm_event_record(bench->event, bench->streams[0]);
}

static int32_t step_wait(struct bench *bench)
{
    return trm_stream_wait_event(bench->streams[1], bench->event);
}

static int32_t step_query(struct bench *bench)
{
    return trm_event_done(bench->event);
}

/* Let the event hold a point that has been reached. */
static int32_t reach_event(struct bench *bench)
{
    int32_t status = trm_event_record(bench->event, bench->streams[0]);

    return status == TRM_OK ? trm_event_wait(bench->event, TRM_FOREVER) : status;
}

int32_t bench_event_record(struct bench *bench, const struct bench_case *test, double *value)
{
    (void)test;
    return time_event_steps(bench, step_record, value);
}

int32_t bench_event_wait(struct bench *bench, const struct bench_case *test, double *value)
{
    int32_t status = reach_event(bench);

    (void)test;
    return status == TRM_OK ? time_event_steps(bench, step_wait, value) : status;
}

int32_t bench_event_query(struct bench *bench, const struct bench_case *test, double *value)
{
    int32_t status = reach_event(bench);

    (void)test;
    return status == TRM_OK ? time_event_steps(bench, step_query, value) : status;
}

/* ---- creating and destroying many ---------------------------------------------------------------------- */

static int32_t create_streams(struct trm_device *device, struct trm_stream **streams, uint64_t count)
{
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]);
    return status;
}

static void destroy_streams(struct trm_stream **streams, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        trm_stream_destroy(streams[i]);
}

static int32_t create_events(struct trm_device *device, struct trm_event **events, uint64_t count)
{
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = trm_event_create(device, 0, &events[i]);
    return status;
}

static void destroy_events(struct trm_event **events, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        trm_event_destroy(events[i]);
}

int32_t bench_event_create_destroy(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count            = bench_scale(bench, OBJECTS), begin;
    struct trm_event **events = output_allocate(count, sizeof(struct trm_event *));
    int32_t status;

    (void)test;
    begin  = bench_now();
    status = create_events(bench->device, events, count);
    destroy_events(events, count);
    *value = (double)(bench_now() - begin) / (double)count;
    free(events);
    return status;
}

int32_t bench_stream_create_destroy(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count              = bench_scale(bench, OBJECTS), begin;
    struct trm_stream **streams = output_allocate(count, sizeof(struct trm_stream *));
    int32_t status;

    (void)test;
    begin  = bench_now();
    status = create_streams(bench->device, streams, count);
    destroy_streams(streams, count);
    *value = (double)(bench_now() - begin) / (double)count;
    free(streams);
    return status;
}

/* ---- a second context ---------------------------------------------------------------------------------- */

static int32_t open_second(const struct bench *bench, const struct trm_allocator *allocator,
                           struct trm_context **context, struct trm_device **device)
{
    const struct trm_context_desc desc = {.struct_size = sizeof(desc), .allocator = allocator};
    int32_t status                     = trm_context_create(&desc, context);

    if (status != TRM_OK)
        return status;
    status = trm_device_open(*context, bench->summary.id, device);
    if (status != TRM_OK)
        trm_context_destroy(*context);
    return status;
}

int32_t bench_context_open_close(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t count = bench_scale(bench, OPENINGS), begin = bench_now();

    (void)test;
    for (uint64_t i = 0; i < count; i++) {
        struct trm_context *context;
        struct trm_device *device;
        int32_t status = open_second(bench, NULL, &context, &device);

        if (status != TRM_OK)
            return status;
        trm_device_destroy(device);
        trm_context_destroy(context);
    }
    *value = (double)(bench_now() - begin) / (double)count / 1000.0;
    return TRM_OK;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    atomic_size_t *live = user;
    void *memory;

    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0)
        return NULL;
    atomic_fetch_add(live, size);
    return memory;
}

static void counted_release(void *user, void *memory, size_t size)
{
    atomic_size_t *live = user;

    atomic_fetch_sub(live, size);
    free(memory);
}

/* Creates `count` objects, notes how much `live` has grown, and destroys them. */
typedef int32_t (*grow_fn)(struct trm_device *device, uint64_t count, const atomic_size_t *live,
                           size_t *grown);

static int32_t use_stream(struct trm_stream *stream, struct trm_buffer *buffer)
{
    int32_t status = trm_fill(stream, trm_span_whole(buffer), 0, 4);

    return status == TRM_OK ? trm_stream_sync(stream) : status;
}

static int32_t grow_streams(struct trm_device *device, uint64_t count, const atomic_size_t *live,
                            size_t *grown)
{
    struct trm_stream **streams = output_allocate(count, sizeof(struct trm_stream *));
    struct trm_buffer *buffer;
    size_t before;
    int32_t status = trm_buffer_create(device, TRM_MEMORY_DEVICE, 64, &buffer);

    if (status != TRM_OK)
        goto free_streams;
    before = atomic_load(live);
    status = create_streams(device, streams, count);
    for (uint64_t i = 0; i < count && status == TRM_OK; i++)
        status = use_stream(streams[i], buffer);
    *grown = atomic_load(live) - before;
    destroy_streams(streams, count);
    trm_buffer_destroy(buffer);
free_streams:
    free(streams);
    return status;
}

static int32_t grow_events(struct trm_device *device, uint64_t count, const atomic_size_t *live,
                           size_t *grown)
{
    struct trm_event **events = output_allocate(count, sizeof(struct trm_event *));
    size_t before             = atomic_load(live);
    int32_t status            = create_events(device, events, count);

    *grown = atomic_load(live) - before;
    destroy_events(events, count);
    free(events);
    return status;
}

static int32_t bytes_each(struct bench *bench, grow_fn grow, double *value)
{
    uint64_t count                 = bench_scale(bench, OBJECTS);
    atomic_size_t live             = 0;
    struct trm_allocator allocator = {counted_allocate, counted_release, &live};
    struct trm_context *context;
    struct trm_device *device;
    size_t grown   = 0;
    int32_t status = open_second(bench, &allocator, &context, &device);

    if (status != TRM_OK)
        return status;
    status = grow(device, count, &live, &grown);
    *value = (double)grown / (double)count;
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status;
}

int32_t bench_stream_bytes(struct bench *bench, const struct bench_case *test, double *value)
{
    (void)test;
    return bytes_each(bench, grow_streams, value);
}

int32_t bench_event_bytes(struct bench *bench, const struct bench_case *test, double *value)
{
    (void)test;
    return bytes_each(bench, grow_events, value);
}
