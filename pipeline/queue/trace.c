/* Traces of a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

/* What is written, as of one moment, so that the program's function is called without a lock. */
struct snapshot {
    struct core_context *context;
    struct pipeline_measure *measure;
    struct trm_report report;
    int32_t format;
};

static int32_t check_arguments(const struct pipeline *pipeline, int32_t format)
{
    int32_t status = pipeline_trace_check_format(format);

    if (status != TRM_OK)
        return status;
    if (pipeline->desc.trace_tokens == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "pipeline \"%s\" traces no tokens: trm_pipeline_desc.trace_tokens is 0",
                         pipeline->name);
    return TRM_OK;
}

static int32_t take_snapshot(struct pipeline *pipeline, struct snapshot *snapshot)
{
    int32_t status = pipeline_measure_create_like(pipeline->measure, &snapshot->measure);

    if (status != TRM_OK)
        return status;
    pipeline_queue_report(pipeline, &snapshot->report);
    base_biased_lock_acquire(&pipeline->lock);
    bool is_running = pipeline->queue->mode == PIPELINE_RUNNING;
    if (!is_running)
        pipeline_measure_copy(snapshot->measure, pipeline->measure);
    base_biased_lock_release(&pipeline->lock);
    if (!is_running) {
        /* The report covers exactly the tokens that are written. */
        pipeline_measure_report(snapshot->measure, &snapshot->report);
        return TRM_OK;
    }
    pipeline_measure_destroy(snapshot->measure);
    snapshot->measure = NULL;
    return base_fail(TRM_ERROR_BUSY, "pipeline \"%s\" is running: write its trace when the run has ended",
                     pipeline->name);
}

static int32_t write_snapshot(const void *subject, trm_write_fn write, void *writer)
{
    const struct snapshot *snapshot = subject;

    return pipeline_trace_write(snapshot->context, snapshot->measure, &snapshot->report, snapshot->format,
                                write, writer);
}

/* Writes to `path`, or if that is NULL by `write`. An existing file stays as it is when there is nothing to
 * write. */
static int32_t trace(struct trm_pipeline *handle, int32_t format, const char *path, trm_write_fn write,
                     void *user)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();

    struct snapshot snapshot = {.context = pipeline->object.context, .format = format};
    int32_t status           = check_arguments(pipeline, format);
    if (status == TRM_OK)
        status = take_snapshot(pipeline, &snapshot);
    if (status == TRM_OK)
        status = path != NULL ? pipeline_output_file(path, write_snapshot, &snapshot)
                              : write_snapshot(&snapshot, write, user);
    pipeline_measure_destroy(snapshot.measure);
    core_object_leave(&pipeline->object);
    return status;
}

int32_t trm_pipeline_trace(struct trm_pipeline *handle, int32_t format, trm_write_fn write, void *user)
{
    if (write == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the trace: write is NULL");
    return trace(handle, format, NULL, write, user);
}

int32_t trm_pipeline_trace_file(struct trm_pipeline *handle, int32_t format, const char *path)
{
    if (path == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the trace: path is NULL");
    return trace(handle, format, path, NULL, NULL);
}
