/* The report of a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "core/object/object.h"
#include "pipeline/queue/queue.h"

static void report_device(const struct pipeline *pipeline, uint32_t number, struct trm_device_report *report,
                          uint64_t stage_ns[TRM_STAGES])
{
    const struct pipeline *member              = pipeline->members[number];
    const struct pipeline_queue_member *queued = &pipeline->queue->members[number];
    struct trm_report own                      = {.struct_size = sizeof(own), .depth = queued->adopted};
    pipeline_measure_report(member->measure, &own);
    base_text_copy(report->device, sizeof(report->device), member->device->id);
    report->depth      = queued->adopted;
    report->lost       = queued->is_lost;
    report->tokens     = own.tokens;
    report->failed     = own.failed;
    report->latency_ns = (uint64_t)queued->estimate.latency;
    report->period_ns  = (uint64_t)queued->estimate.period;
    for (int32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        stage_ns[i] = own.stages[i].mean_ns;
        if (own.stages[i].busy_ns > report->busy_ns)
            report->busy_ns = own.stages[i].busy_ns;
    }
}

/* A device may be lost without a token that failed on it and was repeated: with the last one the run ends,
 * and a stage may have run on another device than its token. */
static void report_losses(const struct pipeline *pipeline, struct trm_report *report)
{
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        const struct core_device *device = pipeline->members[i]->device;
        if (!core_device_is_lost(device))
            continue;
        report->devices[i].lost = 1;
        base_text_copy(report->device_loss[i], sizeof(report->device_loss[i]), device->loss.sentence);
    }
}

/* Adds what another device has to the sums of the first. */
static void add_member(const struct pipeline *member, struct trm_report *report)
{
    struct trm_report own = {.struct_size = sizeof(own)};
    size_t length         = strlen(report->device);
    pipeline_engine_report(member, &own);
    report->device_bytes += own.device_bytes;
    report->host_bytes += own.host_bytes;
    report->host_waits += own.host_waits;
    report->pageable_copies += own.pageable_copies;
    snprintf(report->device + length, sizeof(report->device) - length, ",%s", own.device);
    if (strstr(report->backend, own.backend) != NULL)
        return;
    length = strlen(report->backend);
    snprintf(report->backend + length, sizeof(report->backend) - length, ",%s", own.backend);
}

/* The stages that are functions of the program, by the numbers of the report's launches. */
static uint64_t find_host_stages(const struct pipeline *pipeline)
{
    const struct pipeline *member = pipeline->members[0];
    uint64_t found                = 0;
    for (uint32_t i = 0; i < member->desc.stage_count && i < TRM_REPORT_LAUNCHES; i++)
        if (member->stages[i].host != NULL)
            found |= UINT64_C(1) << i;
    return found;
}

static void report_preferred(const struct pipeline *pipeline, struct trm_report *report)
{
    for (uint32_t i = 0; i < pipeline->desc.stage_count && i < TRM_REPORT_LAUNCHES; i++) {
        uint32_t member          = pipeline_front_stage_member(pipeline, i);
        report->launch_device[i] = member < pipeline->member_count ? 1 + member : 0;
    }
}

/* The devices of a group decide each for itself how it runs tokens. */
static void report_strategies(const struct pipeline *pipeline, struct trm_report *report)
{
    int32_t strategies[TRM_REPORT_DEVICES];
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        strategies[i] = pipeline->members[i]->strategy;
    pipeline_report_strategies(report, strategies);
}

/* The identity of a pipeline, and what its engines know. With the lock. */
static void report_members(const struct pipeline *pipeline, struct trm_report *report)
{
    pipeline_engine_report(pipeline->members[0], report);
    if (pipeline->member_count == 1)
        return;
    for (uint32_t i = 1; i < pipeline->member_count; i++)
        add_member(pipeline->members[i], report);
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        report_device(pipeline, i, &report->devices[i], report->device_stage_ns[i]);
    report_losses(pipeline, report);
    report_preferred(pipeline, report);
    report->device_count = pipeline->member_count;
    report_strategies(pipeline, report);
    report->depth         = pipeline->queue->depth;
    report->repeated      = pipeline->queue->repeated;
    report->spread_tokens = pipeline->queue->spread_tokens;
    pipeline_joins_report(pipeline, report);
    if (pipeline->loss_of_run.status != TRM_OK)
        base_text_copy(report->loss, sizeof(report->loss), pipeline->loss_of_run.sentence);
    else if (pipeline->loss.status != TRM_OK)
        base_text_copy(report->loss, sizeof(report->loss), pipeline->loss.sentence);
    if (report->processors == 0)
        pipeline_shared_say(&pipeline->queue->shared, report->shared, sizeof(report->shared));
}

void pipeline_queue_report(struct pipeline *pipeline, struct trm_report *report)
{
    struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct pipeline_report_facts facts;
    struct base_saved_error saved;

    memset(report, 0, sizeof(*report));
    report->struct_size = sizeof(*report);
    base_biased_lock_acquire(&pipeline->lock);
    report_members(pipeline, report);
    report->one_by_one = pipeline->queue->has_declared_branches && report->branches < 2;
    if (pipeline->failure.status != TRM_OK)
        base_text_copy(report->failure, sizeof(report->failure), pipeline->failure.sentence);
    pipeline_measure_report(pipeline->measure, report);
    pipeline_ahead_report(&pipeline->queue->ahead_facts, report);
    facts              = pipeline->queue->facts;
    facts.recent_count = pipeline_measure_recent(pipeline->measure, recent);
    facts.host_stages  = find_host_stages(pipeline);
    facts.may_drop     = pipeline->desc.on_full != TRM_FULL_BLOCK;
    facts.slot_ns      = pipeline_measure_slot_ns(pipeline->measure);
    pipeline_measure_rates(pipeline->measure, &facts.rates);
    base_biased_lock_release(&pipeline->lock);
    facts.recent = recent;
    facts.words  = pipeline->words;
    base_text_copy(report->token_word, sizeof(report->token_word), facts.words.token);
    base_text_copy(report->tokens_word, sizeof(report->tokens_word), facts.words.tokens);
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

static void reset_report(struct pipeline *pipeline)
{
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_measure_restart(pipeline->measure);
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        pipeline_measure_restart(pipeline->members[i]->measure);
        pipeline_engine_reset_report(pipeline->members[i]);
    }
    pipeline_queue_forget_counts(pipeline);
    base_biased_lock_release(&pipeline->lock);
}

int32_t trm_pipeline_reset_report(struct trm_pipeline *handle)
{
    struct pipeline *pipeline = pipeline_enter(handle);

    if (pipeline == NULL)
        return base_last_status();
    reset_report(pipeline);
    core_object_leave(&pipeline->object);
    return TRM_OK;
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
