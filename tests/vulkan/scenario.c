/* The scenario.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/scenario.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BYTES  = 40000, /* of a small buffer */
    N      = BYTES / 4,
    LARGE  = 5 << 20, /* more than what is staged at once */
    TOKENS = 5,
    TOKEN  = 4096 /* bytes */
};

struct things {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream, *upload, *download;
    struct trm_buffer *a, *b, *large, *pinned, *unified, *imported, *ordered, *shared, *theirs;
    struct trm_semaphore *semaphore;
    struct trm_kernel *kernel, *spread;
    struct trm_event *event, *start, *end;
    struct trm_graph *graph;
    struct trm_graph_exec *exec;
    struct trm_pipeline *pipeline;
    struct trm_port ports[2];
    struct trm_argument arguments[5];
    struct trm_stage stage;
    atomic_uint callbacks;
    uint32_t sent[N], got[N];
    uint8_t large_sent[LARGE], large_got[LARGE];
    uint32_t batch[TOKENS * TOKEN / 4], results[TOKENS * TOKEN / 4];
    uint8_t memory[BYTES] __attribute__((aligned(4096)));
};

/* ---- making ---- */

static int32_t make_context(struct things *things)
{
    return context_make(NULL, 0, &things->context);
}

static int32_t open_device(struct things *things)
{
    return trm_device_open(things->context, NULL, &things->device);
}

static int32_t make_streams(struct things *things)
{
    int32_t status =
        trm_stream_create(things->device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &things->stream);
    if (status == TRM_OK)
        status = trm_stream_create(things->device, TRM_STREAM_UPLOAD, TRM_PRIORITY_HIGH, &things->upload);
    if (status == TRM_OK)
        status = trm_stream_create(things->device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_LOW, &things->download);
    return status;
}

static int32_t make_device_buffers(struct things *things)
{
    int32_t status = trm_buffer_create(things->device, TRM_MEMORY_DEVICE, BYTES, &things->a);
    if (status == TRM_OK)
        status = trm_buffer_create(things->device, TRM_MEMORY_DEVICE, BYTES, &things->b);
    if (status == TRM_OK)
        status = trm_buffer_create(things->device, TRM_MEMORY_DEVICE, LARGE, &things->large);
    return status;
}

static int32_t may_lack(int32_t status)
{
    return status == TRM_ERROR_UNSUPPORTED ? TRM_OK : status;
}

static int32_t make_host_buffers(struct things *things)
{
    struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                   .kind         = TRM_MEMORY_IMPORTED,
                                   .size         = BYTES,
                                   .host_pointer = things->memory};
    int32_t status = trm_buffer_create(things->device, TRM_MEMORY_PINNED, BYTES, &things->pinned);
    if (status == TRM_OK)
        status = may_lack(trm_buffer_create(things->device, TRM_MEMORY_UNIFIED, BYTES, &things->unified));
    if (status == TRM_OK)
        status = may_lack(trm_buffer_create_from(things->device, &desc, &things->imported));
    return status;
}

static int32_t load_kernel(struct things *things)
{
    int32_t status = affine_load(things->device, &things->kernel);
    return status == TRM_OK ? spread_load(things->device, &things->spread) : status;
}

/* ---- working: a ← sent, a ← a × 3 + 1, b ← a, got ← b ---- */

static int32_t upload_small(struct things *things)
{
    return trm_upload(things->upload, trm_span_whole(things->a), things->sent);
}

static int32_t order(struct things *things)
{
    struct trm_point point;
    int32_t status = trm_stream_mark(things->upload, &point);
    return status == TRM_OK ? trm_stream_wait(things->stream, point) : status;
}

static int32_t launch(struct things *things)
{
    return affine_launch(things->stream, things->kernel, things->a, N, 3, 1);
}

static int32_t fill(struct things *things)
{
    int32_t status = trm_fill(things->stream, trm_span_whole(things->b), 0x12, 1);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_of(things->b, 8, 64), UINT64_C(0x123456789abcdef0), 8);
    return status;
}

static int32_t copy_rows(struct things *things)
{
    struct trm_rows to   = {.buffer = things->b, .pitch = 200};
    struct trm_rows from = {.buffer = things->a, .pitch = 200};
    int32_t status       = trm_copy_2d(things->stream, &to, &from, 100, BYTES / 200);
    if (status == TRM_OK)
        status = trm_copy(things->stream, trm_span_whole(things->b), trm_span_whole(things->a));
    return status;
}

static int32_t copy_pinned(struct things *things)
{
    int32_t status = trm_copy(things->stream, trm_span_whole(things->pinned), trm_span_whole(things->b));
    if (status == TRM_OK && things->imported)
        status = trm_copy(things->stream, trm_span_whole(things->imported), trm_span_whole(things->b));
    if (status == TRM_OK && things->unified)
        status = trm_copy(things->stream, trm_span_whole(things->unified), trm_span_whole(things->b));
    return status;
}

static int32_t download_small(struct things *things)
{
    struct trm_point point;
    int32_t status = trm_stream_mark(things->stream, &point);
    if (status == TRM_OK)
        status = trm_stream_wait(things->download, point);
    if (status == TRM_OK)
        status = trm_download(things->download, things->got, trm_span_whole(things->b));
    return status == TRM_OK ? trm_stream_sync(things->download) : status;
}

static int32_t large_copies(struct things *things)
{
    int32_t status = trm_upload(things->upload, trm_span_whole(things->large), things->large_sent);
    if (status == TRM_OK)
        status = trm_download(things->upload, things->large_got, trm_span_whole(things->large));
    return status == TRM_OK ? trm_stream_sync(things->upload) : status;
}

static int32_t ordered_memory(struct things *things)
{
    int32_t status = trm_stream_alloc(things->stream, 3 * BYTES, &things->ordered);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_whole(things->ordered), 1, 1);
    if (status == TRM_OK)
        status = trm_stream_free(things->stream, things->ordered);
    if (status == TRM_OK)
        things->ordered = NULL;
    return status;
}

static void count_callback(void *user, int32_t status)
{
    struct things *things = user;
    (void)status;
    atomic_fetch_add(&things->callbacks, 1);
}

static int32_t call_back(struct things *things)
{
    int32_t status = trm_stream_callback(things->stream, count_callback, things);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_whole(things->large), 7, 1);
    return status == TRM_OK ? trm_stream_sync(things->stream) : status;
}

static int32_t events(struct things *things)
{
    int64_t nanoseconds = 0;
    int32_t status      = trm_event_create(things->device, 0, &things->event);
    if (status == TRM_OK)
        status = trm_event_create(things->device, TRM_EVENT_TIMING, &things->start);
    if (status == TRM_OK)
        status = trm_event_create(things->device, TRM_EVENT_TIMING, &things->end);
    if (status == TRM_OK)
        status = trm_event_record(things->start, things->stream);
    if (status == TRM_OK)
        status = affine_launch(things->stream, things->kernel, things->b, N, 1, 0);
    if (status == TRM_OK)
        status = trm_event_record(things->end, things->stream);
    if (status == TRM_OK)
        status = trm_event_record(things->event, things->stream);
    if (status == TRM_OK)
        status = trm_event_wait(things->event, TRM_FOREVER);
    return status == TRM_OK ? trm_event_elapsed(things->start, things->end, &nanoseconds) : status;
}

/* ---- what others may have too ---- */

static int32_t share_memory(struct things *things)
{
    int32_t fd = -1, status = trm_buffer_create_exportable(things->device, BYTES, &things->shared);
    uint64_t size = 0;
    if (status != TRM_OK)
        return may_lack(status);
    status = trm_buffer_export(things->shared, TRM_HANDLE_OPAQUE_FD, &fd, &size);
    if (status != TRM_OK)
        return status;
    status = trm_buffer_import(things->device, TRM_HANDLE_OPAQUE_FD, fd, size, &things->theirs);
    if (status != TRM_OK) {
        close(fd);
        return status;
    }
    return trm_copy(things->stream, trm_span_of(things->theirs, 0, BYTES), trm_span_whole(things->b));
}

static int32_t share_semaphore(struct things *things)
{
    uint64_t value = 0;
    int32_t status = trm_semaphore_create(things->device, &things->semaphore);
    if (status == TRM_OK)
        status = trm_stream_signal_semaphore(things->upload, things->semaphore, 5);
    if (status == TRM_OK)
        status = trm_stream_flush(things->upload);
    if (status == TRM_OK)
        status = trm_stream_wait_semaphore(things->stream, things->semaphore, 5);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_whole(things->large), 7, 1);
    if (status == TRM_OK)
        status = trm_stream_sync(things->stream);
    return status == TRM_OK ? trm_semaphore_value(things->semaphore, &value) : status;
}

/* ---- graphs and pipelines ---- */

static int32_t make_graph(struct things *things)
{
    struct trm_stream *recording = NULL;
    int32_t status               = trm_graph_create(things->device, &things->graph);
    if (status == TRM_OK)
        status = trm_graph_record(things->graph, &recording);
    if (status == TRM_OK)
        status = trm_upload(recording, trm_span_whole(things->a), things->sent);
    if (status == TRM_OK)
        status = affine_launch(recording, things->kernel, things->a, N, 3, 1);
    if (status == TRM_OK)
        status = trm_fill(recording, trm_span_of(things->b, 0, 400), 9, 1);
    if (status == TRM_OK)
        status = trm_copy(recording, trm_span_whole(things->b), trm_span_whole(things->a));
    return status == TRM_OK ? trm_graph_instantiate(things->graph, &things->exec) : status;
}

static int32_t launch_graph(struct things *things)
{
    int32_t status = trm_graph_launch(things->exec, things->stream);
    if (status == TRM_OK)
        status = trm_graph_launch(things->exec, things->upload);
    if (status == TRM_OK)
        status = trm_graph_update_upload(things->exec, 0, trm_span_whole(things->a), things->sent);
    if (status == TRM_OK)
        status = trm_graph_launch(things->exec, things->stream);
    if (status == TRM_OK)
        status = trm_stream_sync(things->stream);
    return status == TRM_OK ? trm_stream_sync(things->upload) : status;
}

static int32_t make_pipeline(struct things *things)
{
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = things->ports,
                                     .port_count  = 2,
                                     .stages      = &things->stage,
                                     .stage_count = 1,
                                     .depth       = 2,
                                     .strategy    = TRM_STRATEGY_ROLE_STREAMS,
                                     .measure     = TRM_MEASURE_ALL};
    things->ports[0]              = trm_port_input("in", TOKEN);
    things->ports[1]              = trm_port_output("out", TOKEN);
    things->stage                 = trm_stage_launch(things->spread, things->arguments, 5, 0, 4);
    things->arguments[0]          = trm_arg_port(0);
    things->arguments[1]          = trm_arg_port(1);
    things->arguments[2]          = trm_arg_port_elements(0, 4);
    things->arguments[3]          = trm_arg_u32(3);
    things->arguments[4]          = trm_arg_u32(5);
    return trm_pipeline_create(things->device, &desc, &things->pipeline);
}

static int32_t run_pipeline(struct things *things)
{
    struct trm_source source = trm_source_memory(things->batch, sizeof(things->batch));
    struct trm_sink sink     = trm_sink_memory(things->results, sizeof(things->results));
    return trm_pipeline_run(things->pipeline, &source, &sink);
}

static int32_t finish(struct things *things)
{
    return trm_device_sync(things->device);
}

/* ---- the steps ---- */

#define STEP(name)  \
    {               \
#name, name \
    }

static const struct {
    const char *name;
    int32_t (*run)(struct things *things);
} steps[] = {
    STEP(make_context),
    STEP(open_device),
    STEP(make_streams),
    STEP(make_device_buffers),
    STEP(make_host_buffers),
    STEP(load_kernel),
    STEP(upload_small),
    STEP(order),
    STEP(launch),
    STEP(fill),
    STEP(copy_rows),
    STEP(copy_pinned),
    STEP(download_small),
    STEP(large_copies),
    STEP(ordered_memory),
    STEP(call_back),
    STEP(events),
    STEP(share_memory),
    STEP(share_semaphore),
    STEP(make_graph),
    STEP(launch_graph),
    STEP(make_pipeline),
    STEP(run_pipeline),
    STEP(finish),
};

static const char *check_data(struct things *things)
{
    for (uint32_t i = 0; i < N; i++)
        if (things->got[i] != things->sent[i] * 3 + 1)
            return "a number that came back is not what was computed";
    if (memcmp(things->large_sent, things->large_got, LARGE) != 0)
        return "a large copy came back changed";
    for (uint32_t i = 0; i < TOKENS * TOKEN / 4; i++)
        if (things->results[i] != things->batch[i] * 3 + 5)
            return "what went through the pipeline is not what was computed";
    return atomic_load(&things->callbacks) == 1 ? NULL : "the callback was not called once";
}

static void end_things(struct things *things)
{
    trm_semaphore_destroy(things->semaphore);
    trm_buffer_destroy(things->theirs);
    trm_buffer_destroy(things->shared);
    trm_pipeline_destroy(things->pipeline);
    trm_graph_exec_destroy(things->exec);
    trm_graph_destroy(things->graph);
    trm_event_destroy(things->event);
    trm_event_destroy(things->start);
    trm_event_destroy(things->end);
    trm_kernel_destroy(things->kernel);
    trm_kernel_destroy(things->spread);
    trm_buffer_destroy(things->a);
    trm_buffer_destroy(things->b);
    trm_buffer_destroy(things->large);
    trm_buffer_destroy(things->pinned);
    trm_buffer_destroy(things->unified);
    trm_buffer_destroy(things->imported);
    trm_buffer_destroy(things->ordered);
    trm_stream_destroy(things->stream);
    trm_stream_destroy(things->upload);
    trm_stream_destroy(things->download);
    trm_device_destroy(things->device);
    trm_context_destroy(things->context);
}

void scenario_run(struct scenario_end *end)
{
    struct things *things = aligned_alloc(4096, (sizeof(*things) + 4095) / 4096 * 4096);
    ck_assert_ptr_nonnull(things);
    memset(things, 0, sizeof(*things));
    memset(end, 0, sizeof(*end));
    for (uint32_t i = 0; i < N; i++)
        things->sent[i] = i * 2654435761u;
    for (uint32_t i = 0; i < LARGE; i++)
        things->large_sent[i] = (uint8_t)(i * 2654435761u >> 24);
    memcpy(things->batch, things->large_sent + 77, sizeof(things->batch));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && end->status == TRM_OK; i++) {
        end->step   = steps[i].name;
        end->status = steps[i].run(things);
    }
    if (end->status != TRM_OK) {
        end->error = trm_last_error();
        snprintf(end->sentence, sizeof(end->sentence), "%s", end->error.sentence);
    } else {
        const char *wrong = check_data(things);
        ck_assert_msg(!wrong, "%s", wrong);
    }
    end_things(things);
    free(things);
}
