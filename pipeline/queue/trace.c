/* Traces of a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/engine/engine.h"
#include "pipeline/queue/queue.h"
#include "pipeline/report/report_internal.h"

/* Everything that is written, as it was at one moment, so that the program's function is called without a lock. */
struct snapshot {
    struct core_measure *measure;
    struct trm_report report;
};

static int32_t check_arguments(const struct core_pipeline *pipeline, int32_t format)
{
    if (format != TRM_TRACE_EVENTS && format != TRM_TRACE_TIMELINE)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is no format of a trace", format);
    if (pipeline->desc.trace_tokens == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "pipeline \"%s\" keeps no tokens: trm_pipeline_desc.trace_tokens is 0",
                         pipeline->name);
    return TRM_OK;
}

static int32_t take_snapshot(struct core_pipeline *pipeline, struct snapshot *snapshot)
{
    int32_t running, status = core_measure_create_like(pipeline->measure, &snapshot->measure);

    if (status != TRM_OK)
        return status;
    core_report_take(pipeline, &snapshot->report);
    pthread_mutex_lock(&pipeline->lock);
    running = pipeline->queue->mode == CORE_RUNNING;
    if (!running)
        core_measure_copy(snapshot->measure, pipeline->measure);
    pthread_mutex_unlock(&pipeline->lock);
    if (!running) {
        /* Of the very tokens that are written. */
        core_measure_report(snapshot->measure, &snapshot->report);
        return TRM_OK;
    }
    core_measure_destroy(snapshot->measure);
    snapshot->measure = NULL;
    return base_fail(TRM_ERROR_BUSY, "pipeline \"%s\" is being run: its trace can be written afterwards",
                     pipeline->name);
}

static int32_t write_snapshot(const struct core_pipeline *pipeline, const struct snapshot *snapshot,
                              int32_t format, trm_write_fn write, void *user)
{
    struct core_writer writer;
    struct core_trace trace;
    int32_t written;
    int32_t status = core_trace_init(pipeline->object.context, snapshot->measure, &snapshot->report, &trace);

    if (status != TRM_OK)
        return status;
    core_writer_begin(&writer, write, user);
    if (format == TRM_TRACE_EVENTS)
        status = core_trace_events(&trace, &writer);
    else
        core_trace_timeline(&trace, &writer);
    written = core_writer_end(&writer);
    core_trace_fini(&trace);
    return status != TRM_OK ? status : written;
}

int32_t trm_pipeline_trace(struct trm_pipeline *handle, int32_t format, trm_write_fn write, void *user)
{
    struct snapshot snapshot = {0};
    struct core_pipeline *pipeline;
    int32_t status;

    if (write == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the trace: write is NULL");
    pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = check_arguments(pipeline, format);
    if (status == TRM_OK)
        status = take_snapshot(pipeline, &snapshot);
    if (status == TRM_OK)
        status = write_snapshot(pipeline, &snapshot, format, write, user);
    core_measure_destroy(snapshot.measure);
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- to a file ------------------------------------------------------------------------------- */

struct target {
    FILE *file;
    const char *path;
};

static int32_t fail_file(const char *path, const char *what)
{
    int number = errno;
    char reason[128];

    return base_fail(TRM_ERROR_IO, "%s: %s: %s", path, what, strerror_r(number, reason, sizeof(reason)));
}

static int32_t write_to_file(void *user, const char *text, size_t length)
{
    struct target *target = user;

    if (fwrite(text, 1, length, target->file) == length)
        return TRM_OK;
    return fail_file(target->path, "cannot be written");
}

static int32_t write_file(const struct core_pipeline *pipeline, const struct snapshot *snapshot,
                          int32_t format, const char *path)
{
    struct target target = {fopen(path, "we"), path};
    int32_t status;

    if (target.file == NULL)
        return fail_file(path, "cannot be made");
    status = write_snapshot(pipeline, snapshot, format, write_to_file, &target);
    if (fclose(target.file) != 0 && status == TRM_OK)
        status = fail_file(path, "cannot be written");
    return status;
}

int32_t trm_pipeline_trace_file(struct trm_pipeline *handle, int32_t format, const char *path)
{
    struct snapshot snapshot = {0};
    struct core_pipeline *pipeline;
    int32_t status;

    if (path == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the trace: path is NULL");
    pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    /* A file that is there stays as it is when there is nothing to write. */
    status = check_arguments(pipeline, format);
    if (status == TRM_OK)
        status = take_snapshot(pipeline, &snapshot);
    if (status == TRM_OK)
        status = write_file(pipeline, &snapshot, format, path);
    core_measure_destroy(snapshot.measure);
    core_object_leave(&pipeline->object);
    return status;
}
