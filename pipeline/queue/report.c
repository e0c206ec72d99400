/* The report of a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/report_internal.h"

#include <string.h>

#include "core/object/object.h"
#include "pipeline/engine/engine_internal.h"

/* The part that others write while tokens are under way. */
static void copy_changing(struct core_pipeline *pipeline, struct trm_report *report)
{
    pthread_mutex_lock(&pipeline->lock);
    report->depth        = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);
    report->strategy     = pipeline->strategy;
    report->pieces       = pipeline->pieces;
    report->device_bytes = pipeline->device_bytes;
    report->host_bytes   = pipeline->host_bytes;
    base_text_copy(report->reason, sizeof(report->reason), pipeline->reason);
    if (pipeline->failure.status != TRM_OK)
        base_text_copy(report->failure, sizeof(report->failure), pipeline->failure.sentence);
    core_measure_report(pipeline->measure, report);
    pthread_mutex_unlock(&pipeline->lock);
}

int32_t core_report_take(struct core_pipeline *pipeline, struct trm_report *report)
{
    const struct core_device *device = pipeline->device;
    struct base_saved_error saved;

    memset(report, 0, sizeof(*report));
    report->struct_size = sizeof(*report);
    copy_changing(pipeline, report);
    base_text_copy(report->name, sizeof(report->name), pipeline->name);
    base_text_copy(report->backend, sizeof(report->backend), device->backend->name);
    base_text_copy(report->device, sizeof(report->device), device->id);
    report->host_waits      = atomic_load_explicit(&pipeline->engine->host_waits, memory_order_relaxed);
    report->pageable_copies = atomic_load_explicit(&pipeline->engine->pageable_copies, memory_order_relaxed);
    if (device->limits.synchronous)
        report->processors = 1;
    /* What cannot be predicted is no failure of the report. */
    base_error_save(&saved);
    core_report_complete(report);
    base_error_restore(&saved);
    return TRM_OK;
}

int32_t trm_pipeline_report(struct trm_pipeline *handle, struct trm_report *report)
{
    struct trm_report ours;
    struct core_pipeline *pipeline;
    int32_t status = core_output_check(report, "trm_pipeline_report", "report");

    if (status != TRM_OK)
        return status;
    pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = core_report_take(pipeline, &ours);
    if (status == TRM_OK && !core_struct_give(report, &ours, sizeof(ours), sizeof(ours)))
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_report.struct_size is %u, but its size is %zu",
                           report->struct_size, sizeof(ours));
    core_object_leave(&pipeline->object);
    return status;
}
