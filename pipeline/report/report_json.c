/* A report as JSON.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/report/report_internal.h"

static void write_member(struct pipeline_writer *writer, const char *key)
{
    pipeline_writef(writer, ",\n  \"%s\": ", key);
}

static void write_text(struct pipeline_writer *writer, const char *key, const char *value)
{
    write_member(writer, key);
    pipeline_write_json(writer, value);
}

static void write_count(struct pipeline_writer *writer, const char *key, uint64_t value)
{
    write_member(writer, key);
    pipeline_writef(writer, "%" PRIu64, value);
}

static void write_seconds(struct pipeline_writer *writer, const char *key, uint64_t nanoseconds)
{
    write_member(writer, key);
    pipeline_write_scaled(writer, nanoseconds, 9);
}

static void write_ratio(struct pipeline_writer *writer, const char *key, double value)
{
    write_member(writer, key);
    pipeline_write_number(writer, value, 6);
}

static void write_stage(struct pipeline_writer *writer, uint32_t number, const struct trm_stage_report *stage)
{
    const struct {
        const char *key;
        uint64_t nanoseconds;
    } times[] = {
        {"busy_seconds", stage->busy_ns},       {"starved_seconds", stage->starved_ns},
        {"blocked_seconds", stage->blocked_ns}, {"mean_seconds", stage->mean_ns},
        {"least_seconds", stage->least_ns},     {"most_seconds", stage->most_ns},
    };

    pipeline_writef(writer, "%s\n    {\"name\": \"%s\", \"tokens\": %" PRIu64 ", \"bytes\": %" PRIu64,
                    number == 0 ? "" : ",", trm_stage_name((int32_t)number), stage->tokens, stage->bytes);
    for (uint32_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        pipeline_writef(writer, ", \"%s\": ", times[i].key);
        pipeline_write_scaled(writer, times[i].nanoseconds, 9);
    }
    pipeline_write(writer, "}");
}

static void write_stages(struct pipeline_writer *writer, const struct trm_report *report)
{
    write_member(writer, "stages");
    pipeline_write(writer, "[");
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        write_stage(writer, i, &report->stages[i]);
    pipeline_write(writer, "\n  ]");
}

const char *pipeline_report_launch_device(const struct trm_report *report, uint32_t launch)
{
    uint32_t device = report->launch_device[launch];
    return device != 0 && device <= TRM_REPORT_DEVICES ? report->devices[device - 1].device : NULL;
}

static void write_launches(struct pipeline_writer *writer, const struct trm_report *report)
{
    write_member(writer, "launches");
    pipeline_write(writer, "[");
    for (uint32_t i = 0; i < report->launch_count && i < TRM_REPORT_LAUNCHES; i++) {
        pipeline_write(writer, i == 0 ? "\n    {\"name\": " : ",\n    {\"name\": ");
        pipeline_write_json(writer, report->launches[i].name);
        pipeline_write(writer, ", \"busy_seconds\": ");
        pipeline_write_scaled(writer, report->launches[i].busy_ns, 9);
        if (pipeline_report_launch_device(report, i) != NULL) {
            pipeline_write(writer, ", \"device\": ");
            pipeline_write_json(writer, pipeline_report_launch_device(report, i));
        }
        pipeline_report_after_json(report, i, writer);
        pipeline_write(writer, "}");
    }
    pipeline_write(writer, report->launch_count > 0 ? "\n  ]" : "]");
}

static void write_critical(struct pipeline_writer *writer, const struct trm_report *report)
{
    write_member(writer, "critical");
    if (report->critical < 0)
        pipeline_write(writer, "null");
    else
        pipeline_writef(writer, "\"%s\"", trm_stage_name(report->critical));
}

/* The id of the device to leave out, or null. */
static void write_left_out(struct pipeline_writer *writer, const struct trm_report *report)
{
    uint32_t number = report->advised.left_out;

    pipeline_write(writer, ", \"left_out\": ");
    if (number == 0 || number > TRM_REPORT_DEVICES)
        pipeline_write(writer, "null");
    else
        pipeline_write_json(writer, report->devices[number - 1].device);
}

static void write_advised(struct pipeline_writer *writer, const struct trm_report *report)
{
    const struct trm_advice *advised = &report->advised;
    static const char *const kinds[] = {
        [TRM_ADVICE_NONE] = "none",     [TRM_ADVICE_BOUND] = "bound",     [TRM_ADVICE_WORKERS] = "workers",
        [TRM_ADVICE_DEPTH] = "depth",   [TRM_ADVICE_SIZE] = "size",       [TRM_ADVICE_MORE] = "more",
        [TRM_ADVICE_STAGE] = "stage",   [TRM_ADVICE_MACHINE] = "machine", [TRM_ADVICE_SINKS] = "sinks",
        [TRM_ADVICE_DEVICE] = "device",
    };
    uint32_t kind = (uint32_t)advised->kind < sizeof(kinds) / sizeof(kinds[0]) ? (uint32_t)advised->kind : 0;

    write_member(writer, "advised");
    pipeline_writef(writer, "{\"kind\": \"%s\", \"stage\": ", kinds[kind]);
    if (advised->stage < 0)
        pipeline_write(writer, "null");
    else
        pipeline_writef(writer, "\"%s\"", trm_stage_name(advised->stage));
    pipeline_writef(writer, ", \"workers\": %u, \"sinks\": %u, \"depth\": %u, \"size\": ", advised->workers,
                    advised->sinks, advised->depth);
    pipeline_write_number(writer, advised->size, 6);
    pipeline_write(writer, ", \"stage_seconds\": ");
    pipeline_write_scaled(writer, advised->stage_ns, 9);
    pipeline_write(writer, ", \"gain\": ");
    pipeline_write_number(writer, advised->gain, 6);
    write_left_out(writer, report);
    pipeline_write(writer, "}");
}

void pipeline_report_json(const struct trm_report *report, struct pipeline_writer *writer)
{
    pipeline_write(writer, "{\n  \"name\": ");
    pipeline_write_json(writer, report->name);
    write_text(writer, "backend", report->backend);
    write_text(writer, "device", report->device);
    write_text(writer, "strategy", trm_strategy_name(report->strategy));
    write_count(writer, "by_graphs", report->by_graphs);
    write_text(writer, "reason", report->reason);
    write_count(writer, "depth", report->depth);
    write_count(writer, "slots_in_use", report->slots_in_use != 0 ? report->slots_in_use : report->depth);
    write_count(writer, "pieces", report->pieces);
    write_count(writer, "workers", report->workers);
    write_count(writer, "one_thread", report->one_thread);
    write_count(writer, "tokens", report->tokens);
    write_count(writer, "skipped", report->skipped);
    write_count(writer, "failed", report->failed);
    write_count(writer, "cancelled", report->cancelled);
    write_count(writer, "dropped", report->dropped);
    write_count(writer, "expired", report->expired);
    write_count(writer, "late", report->late);
    write_count(writer, "measured", report->measured);
    write_count(writer, "preempted", report->preempted);
    write_seconds(writer, "seconds", report->elapsed_ns);
    write_count(writer, "bytes_up", report->bytes_up);
    write_count(writer, "bytes_down", report->bytes_down);
    write_stages(writer, report);
    write_launches(writer, report);
    write_count(writer, "branches", report->branches);
    write_count(writer, "one_by_one", report->one_by_one);
    write_seconds(writer, "path_seconds", report->path_ns);
    write_critical(writer, report);
    write_seconds(writer, "bound_seconds", report->bound_ns);
    write_ratio(writer, "efficiency", report->efficiency);
    write_seconds(writer, "predicted_seconds", report->predicted_ns);
    write_seconds(writer, "sequential_seconds", report->sequential_ns);
    write_ratio(writer, "fill", report->fill);
    write_count(writer, "device_bytes", report->device_bytes);
    write_count(writer, "host_bytes", report->host_bytes);
    write_count(writer, "host_waits", report->host_waits);
    write_count(writer, "pageable_copies", report->pageable_copies);
    write_seconds(writer, "load_waiting_seconds", report->load_waiting_ns);
    write_seconds(writer, "sink_waiting_seconds", report->sink_waiting_ns);
    write_seconds(writer, "processor_seconds", report->processor_ns);
    write_count(writer, "joins", report->joins);
    write_seconds(writer, "join_seconds", report->join_ns);
    pipeline_report_ahead_json(report, writer);
    pipeline_report_devices_json(report, writer);
    write_text(writer, "failure", report->failure);
    write_text(writer, "advice", report->advice);
    write_advised(writer, report);
    pipeline_write(writer, "\n}\n");
}
