/* The report of a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/object/object.h"
#include "pipeline/queue/queue.h"

void pipeline_queue_report(struct pipeline *pipeline, struct trm_report *report)
{
    struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct pipeline_report_facts facts;
    struct base_saved_error saved;

    memset(report, 0, sizeof(*report));
    report->struct_size = sizeof(*report);
    pthread_mutex_lock(&pipeline->lock);
    pipeline_engine_report(pipeline, report);
    if (pipeline->failure.status != TRM_OK)
        base_text_copy(report->failure, sizeof(report->failure), pipeline->failure.sentence);
    pipeline_measure_report(pipeline->measure, report);
    facts              = pipeline->queue->facts;
    facts.recent_count = pipeline_measure_recent(pipeline->measure, recent);
    pipeline_measure_rates(pipeline->measure, &facts.rates);
    pthread_mutex_unlock(&pipeline->lock);
    facts.recent = recent;
    facts.words  = pipeline->words;
    /* A report without a prediction is not a failure. */
    base_error_save(&saved);
    pipeline_report_complete(report, &facts);
    base_error_restore(&saved);
}

int32_t trm_pipeline_report(struct trm_pipeline *handle, struct trm_report *report)
{
    struct trm_report ours;
    struct pipeline *pipeline;
    int32_t status = core_output_check(report, "trm_pipeline_report", "report");

    if (status != TRM_OK)
        return status;
    pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    pipeline_queue_report(pipeline, &ours);
    if (!core_struct_copy_out(report, &ours, sizeof(ours), PIPELINE_REPORT_LEAST))
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_report.struct_size is %u, but its size is %zu",
                           report->struct_size, sizeof(ours));
    core_object_leave(&pipeline->object);
    return status;
}

struct output {
    struct trm_report report;
    int32_t format;
};

static int32_t write_report(const void *subject, trm_write_fn write, void *writer)
{
    const struct output *output = subject;

    return pipeline_report_write(&output->report, output->format, write, writer);
}

int32_t trm_pipeline_report_file(struct trm_pipeline *pipeline, int32_t format, const char *path)
{
    struct output output = {.report.struct_size = sizeof(output.report), .format = format};

    if (path == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the report: path is NULL");
    int32_t status = pipeline_report_check_format(format);
    if (status == TRM_OK)
        status = trm_pipeline_report(pipeline, &output.report);
    /* An existing file stays as it is when there is no report. */
    if (status == TRM_OK)
        status = pipeline_output_file(path, write_report, &output);
    return status;
}
