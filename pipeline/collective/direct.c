/* The ways one-shot and two-shot: kernels of each device read, and write, the memory of all devices, on the
 * program's streams.
 *
 * All streams meet before the call, so that all inputs are ready, and after it, so that none goes on while a
 * peer still reads its memory. The meeting after a call is also the one before the next call when nothing was
 * enqueued in between.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/collective.h"

/* Scratch memory of tasks with more sources than one kernel takes. */
#define CHUNK (UINT64_C(4) << 20)

bool pipeline_streams_have_met(const struct pipeline_collective *collective, const struct pipeline_call *call)
{
    for (uint32_t d = 0; d < call->devices; d++) {
        const struct core_stream *stream = core_stream_find(call->streams[d]);
        if (stream == NULL || collective->met[d] != call->streams[d] ||
            collective->met_next[d] != core_stream_next(stream))
            return false;
    }
    return true;
}

static int32_t meet(const struct pipeline_call *call)
{
    return call->devices == 1 ? TRM_OK : trm_stream_barrier(call->streams, call->devices);
}

static int32_t copy_task(const struct pipeline_task_range *task, struct trm_stream *stream)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < task->target_count; i++)
        status = trm_copy(stream, task->targets[i], task->sources[0]);
    return status;
}

static void cut(const struct pipeline_task_range *task, uint64_t at, uint64_t bytes,
                struct pipeline_task_range *piece)
{
    *piece       = *task;
    piece->bytes = bytes;
    for (uint32_t i = 0; i < task->source_count; i++) {
        piece->sources[i].offset += at;
        piece->sources[i].length = bytes;
    }
    for (uint32_t i = 0; i < task->target_count; i++) {
        piece->targets[i].offset += at;
        piece->targets[i].length = bytes;
    }
}

/* A task whose kernels need scratch memory: in chunks. */
static int32_t reduce_in_chunks(struct pipeline_collective *collective, const struct pipeline_call *call,
                                const struct pipeline_task_range *task, struct trm_stream *stream)
{
    struct pipeline_task_range piece;
    struct trm_buffer *scratch;
    uint64_t chunk = task->bytes < CHUNK ? task->bytes : CHUNK;

    int32_t status = trm_stream_alloc(stream, chunk, &scratch);
    if (status != TRM_OK)
        return status;
    for (uint64_t at = 0; status == TRM_OK && at < task->bytes; at += chunk) {
        cut(task, at, task->bytes - at < chunk ? task->bytes - at : chunk, &piece);
        status =
            pipeline_reduce_enqueue(collective, call, &piece, stream, trm_span_of(scratch, 0, piece.bytes));
    }
    if (status == TRM_OK)
        return trm_stream_free(stream, scratch);
    struct base_saved_error saved;
    base_error_save(&saved);
    trm_buffer_destroy(scratch);
    base_error_restore(&saved);
    return status;
}

static int32_t run(struct pipeline_collective *collective, const struct pipeline_call *call,
                   const struct pipeline_task_range *task)
{
    struct trm_stream *stream = call->streams[task->device];

    if (task->source_count == 1)
        return copy_task(task, stream);
    if (task->source_count > PIPELINE_KERNEL_SPANS)
        return reduce_in_chunks(collective, call, task, stream);
    return pipeline_reduce_enqueue(collective, call, task, stream, trm_span_of(NULL, 0, 0));
}

int32_t pipeline_direct_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                bool is_one_shot)
{
    struct pipeline_task_range task;
    uint32_t tasks = pipeline_call_tasks(call);

    int32_t status = pipeline_streams_have_met(collective, call) ? TRM_OK : meet(call);
    for (uint32_t k = 0; k < call->count; k++)
        for (uint32_t part = 0; status == TRM_OK && part < tasks; part++)
            if (pipeline_call_task(call, is_one_shot, k, part, &task))
                status = run(collective, call, &task);
    return status == TRM_OK ? meet(call) : status;
}
