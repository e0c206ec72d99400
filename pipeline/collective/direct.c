/* The ways one-shot, two-shot and root: kernels of each device, or of one, read and write the memory of all
 * devices, on the program's streams.
 *
 * All streams meet before the call, so that all inputs are ready, and after it, so that none goes on while a
 * peer still reads its memory (meeting.c).
 *
 * Of a call of several spans, each device does the small ones in one launch, which finds them in a table of
 * addresses. Kernels also take spans from there whose offsets they do not take as arguments.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/table.h"

/* Scratch memory of tasks with more sources than one kernel takes. */
#define CHUNK (UINT64_C(4) << 20)

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

static bool is_aligned(const struct pipeline_collective *collective, const struct pipeline_task_range *task)
{
    uint64_t offsets = 0;

    for (uint32_t i = 0; i < task->source_count; i++)
        offsets |= task->sources[i].offset;
    for (uint32_t i = 0; i < task->target_count; i++)
        offsets |= task->targets[i].offset;
    return offsets % collective->aligns == 0;
}

/* Of a row of a table. */
static uint64_t small_bytes(const struct pipeline_collective *collective,
                            const struct pipeline_task_range *task)
{
    if ((collective->cpus >> task->device & 1) != 0)
        return PIPELINE_TABLE_CPU_BYTES;
    return task->source_count == 1 ? PIPELINE_TABLE_COPY_BYTES : PIPELINE_TABLE_REDUCE_BYTES;
}

/* Should the task be a row of the device's table? Starts the table for the first one. */
static bool is_for_table(struct pipeline_collective *collective, const struct pipeline_call *call,
                         const struct pipeline_task_range *task, struct pipeline_table *table)
{
    struct trm_stream *stream = call->streams[task->device];
    bool is_copy              = task->source_count == 1;
    bool is_small             = call->count > 1 && task->bytes <= small_bytes(collective, task);

    if (is_copy ? !is_small || pipeline_table_copier(collective, task->device) == NULL
                : !call->has_table || (!is_small && is_aligned(collective, task)))
        return false;
    if (table->kernel == NULL && is_copy)
        pipeline_table_init_copy(table, collective, call, task->device, stream);
    if (table->kernel == NULL && !is_copy &&
        pipeline_table_init_reduce(table, collective, call, task, stream) != TRM_OK) {
        base_error_clear();
        return false;
    }
    return true;
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

static int32_t run_or_add(struct pipeline_collective *collective, const struct pipeline_call *call,
                          const struct pipeline_task_range *task, struct pipeline_table *table)
{
    bool is_taken  = false;
    int32_t status = TRM_OK;

    if (is_for_table(collective, call, task, table)) {
        table->is_needed = task->source_count > 1 && !is_aligned(collective, task);
        status           = pipeline_table_add_task(table, task, &is_taken);
    }
    return status != TRM_OK || is_taken ? status : run(collective, call, task);
}

/* The tasks of device `device` for the spans `number`. */
static int32_t run_number(struct pipeline_collective *collective, const struct pipeline_call *call,
                          enum pipeline_way way, uint32_t number, uint32_t device,
                          struct pipeline_table *table)
{
    struct pipeline_task_range task;
    uint32_t each  = pipeline_call_tasks(call) / call->devices;
    int32_t status = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < each; i++)
        if (pipeline_call_task(call, way, number, device * each + i, &task))
            status = run_or_add(collective, call, &task, table);
    return status;
}

/* Span by span on all devices, so that all have work early. */
static int32_t run_all(struct pipeline_collective *collective, const struct pipeline_call *call,
                       enum pipeline_way way, uint32_t worker, struct pipeline_table *tables)
{
    uint32_t first = worker == PIPELINE_DEVICES ? 0 : worker;
    uint32_t end   = worker == PIPELINE_DEVICES ? call->devices : worker + 1;
    int32_t status = TRM_OK;

    for (uint32_t k = 0; k < call->count; k++)
        for (uint32_t d = first; status == TRM_OK && d < end; d++) {
            status = run_number(collective, call, way, k, d, &tables[d]);
            if (status == TRM_OK && k + 1 == call->count)
                status = pipeline_table_flush(&tables[d]);
            if (status == TRM_OK && k + 1 == call->count)
                status = pipeline_streams_arrive(call, d);
        }
    for (uint32_t d = first; d < end; d++)
        pipeline_table_fini(&tables[d]);
    return status;
}

int32_t pipeline_direct_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                enum pipeline_way way)
{
    struct pipeline_table tables[PIPELINE_DEVICES] = {0};
    uint32_t worker                                = pipeline_call_worker(call, way);

    int32_t status = pipeline_streams_gather(call, worker);
    if (status == TRM_OK)
        status = run_all(collective, call, way, worker, tables);
    return status == TRM_OK ? pipeline_streams_scatter(call, worker) : status;
}
