/* What a report says of tokens that were read ahead.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/report/report_internal.h"

#define TEXT_MOST 48

static bool is_known(const struct trm_report *report)
{
    return report->take_ns > 0 && report->source_ns > 0;
}

/* In the text and as JSON; "": it reads ahead, or is not asked to. */
static const char *why_none(const struct trm_report *report)
{
    switch (report->ahead_none) {
    case TRM_AHEAD_NONE_TOO_SMALL:
        return "ahead_bytes is less than the inputs of one token take";
    case TRM_AHEAD_NONE_MEMORY:
        return "the source is in memory already";
    case TRM_AHEAD_NONE_DROPS:
        return "the pipeline may drop tokens, and those read ahead would be old";
    default:
        return "";
    }
}

/* "9 of 64 tokens suffice now, at most 12 were there (2.3 MB); the source takes 1.2 ms ± 3.0, a slot is free
 * each 1.5 ms ± 0.1: starved for 0.8 % predicted, 0.5 % measured" */
bool pipeline_report_ahead_line(const struct trm_report *report, char *text, size_t capacity)
{
    char bytes[TEXT_MOST], source[TEXT_MOST], source_spread[TEXT_MOST], take[TEXT_MOST], spread[TEXT_MOST];
    char predicted[TEXT_MOST], came[TEXT_MOST];

    if (why_none(report)[0] != '\0') {
        snprintf(text, capacity, "nothing is read ahead: %s", why_none(report));
        return true;
    }
    if (report->ahead_budget == 0)
        return false;
    int length = snprintf(text, capacity,
                          "%" PRIu32 " of %" PRIu32 " %s suffice now, at most %" PRIu32 " were there (%s)",
                          report->ahead, report->ahead_budget, pipeline_report_tokens(report),
                          report->ahead_most, pipeline_bytes_text(bytes, sizeof(bytes), report->ahead_bytes));
    if (!is_known(report) || length < 0 || (size_t)length >= capacity)
        return true;
    snprintf(text + length, capacity - (size_t)length,
             "; the source takes %s ± %s, a slot is free each %s ± %s: starved for %s %% predicted, %s %% "
             "measured",
             pipeline_time_text(source, sizeof(source), (double)report->source_ns),
             pipeline_time_text(source_spread, sizeof(source_spread), (double)report->source_spread_ns),
             pipeline_time_text(take, sizeof(take), (double)report->take_ns),
             pipeline_time_text(spread, sizeof(spread), (double)report->take_spread_ns),
             pipeline_number_text(predicted, sizeof(predicted), report->ahead_predicted * 100, 1),
             pipeline_number_text(came, sizeof(came), report->ahead_waits * 100, 1));
    return true;
}

void pipeline_report_ahead_json(const struct trm_report *report, struct pipeline_writer *writer)
{
    const struct {
        const char *key;
        uint64_t nanoseconds;
    } times[] = {
        {"source_seconds", report->source_ns},
        {"source_spread_seconds", report->source_spread_ns},
        {"take_seconds", report->take_ns},
        {"take_spread_seconds", report->take_spread_ns},
    };

    pipeline_writef(writer,
                    ",\n  \"ahead\": {\"tokens\": %" PRIu32 ", \"budget\": %" PRIu32 ", \"most\": %" PRIu32
                    ", \"bytes\": %" PRIu64,
                    report->ahead, report->ahead_budget, report->ahead_most, report->ahead_bytes);
    for (uint32_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        pipeline_writef(writer, ", \"%s\": ", times[i].key);
        pipeline_write_scaled(writer, times[i].nanoseconds, 9);
    }
    pipeline_write(writer, ", \"predicted_waits\": ");
    pipeline_write_number(writer, report->ahead_predicted, 6);
    pipeline_write(writer, ", \"waits\": ");
    pipeline_write_number(writer, report->ahead_waits, 6);
    pipeline_write(writer, ", \"none\": ");
    pipeline_write_json(writer, why_none(report));
    pipeline_write(writer, "}");
}
