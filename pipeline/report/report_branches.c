/* The branches of a token's compute: its longest path, and their part of reports and of the timeline.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/report/report_internal.h"

#define TEXT_MOST 32
#define SHORT_NS 20000u
#define LINE_MOST (TRM_REPORT_LAUNCHES * 64)

/* ---- the longest path ----------------------------------------------------------------------- */

/* Stages have higher numbers than those that they run after, so one pass finds the longest way to each. */
uint64_t pipeline_longest_path(const uint64_t *times, const uint64_t *after, uint32_t count, uint64_t *path)
{
    uint64_t end[TRM_REPORT_LAUNCHES], way[TRM_REPORT_LAUNCHES], longest = 0;

    *path = 0;
    for (uint32_t i = 0; i < count; i++) {
        end[i] = 0;
        way[i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            if ((after[i] >> j & 1) == 0 || (way[i] != 0 && end[j] <= end[i]))
                continue;
            end[i] = end[j];
            way[i] = way[j];
        }
        end[i] += times[i];
        way[i] |= UINT64_C(1) << i;
        if (i == 0 || end[i] > longest) {
            longest = end[i];
            *path   = way[i];
        }
    }
    return longest;
}

static uint32_t count_of(const struct trm_report *report)
{
    return report->launch_count < TRM_REPORT_LAUNCHES ? report->launch_count : TRM_REPORT_LAUNCHES;
}

static uint64_t sum_of(const struct trm_report *report)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count_of(report); i++)
        sum += report->launches[i].busy_ns;
    return sum;
}

void pipeline_report_find_path(struct trm_report *report)
{
    uint64_t times[TRM_REPORT_LAUNCHES];
    uint32_t count = count_of(report);

    report->path_ns = sum_of(report);
    report->path    = (UINT64_C(1) << count) - 1;
    if (report->branches < 2)
        return;
    for (uint32_t i = 0; i < count; i++)
        times[i] = report->launches[i].busy_ns;
    report->path_ns = pipeline_longest_path(times, report->launch_after, count, &report->path);
}

/* ---- text, JSON, HTML ----------------------------------------------------------------------- */

/* "gray, edges, mix" */
static void name_stages(const struct trm_report *report, uint64_t stages, char line[LINE_MOST])
{
    size_t at = 0;

    line[0] = '\0';
    for (uint32_t i = 0; i < count_of(report); i++)
        if (stages >> i & 1)
            at += (size_t)snprintf(line + at, LINE_MOST - at, "%s%s", at == 0 ? "" : ", ",
                                   report->launches[i].name);
}

/* Why declared branches run one after the other. Where host and device share memory, and the program left the
 * choice, streams of their own would cost more than branches of less than 20 us gain. */
static void say_one_by_one(const struct trm_report *report, char *text, size_t capacity)
{
    bool has_streams = report->strategy == TRM_STRATEGY_ZERO_COPY ||
                       report->strategy == TRM_STRATEGY_ROLE_STREAMS ||
                       report->strategy == TRM_STRATEGY_SLOT_STREAMS;

    if (report->pieces > 1)
        snprintf(text, capacity, "one after the other, since %s run in pieces",
                 pipeline_report_tokens(report));
    else if (has_streams && report->stages[TRM_STAGE_COMPUTE].mean_ns < SHORT_NS)
        snprintf(
            text, capacity,
            "one after the other: %s of less than 20 µs gain nothing by streams of their own; a strategy "
            "that the program sets uses them all the same",
            pipeline_report_tokens(report));
    else
        snprintf(text, capacity, "one after the other with the strategy %s",
                 trm_strategy_name(report->strategy));
}

bool pipeline_report_branches_line(const struct trm_report *report, char *text, size_t capacity)
{
    uint64_t sum = sum_of(report);
    char names[LINE_MOST];

    if (report->branches < 2 && report->one_by_one != 0) {
        say_one_by_one(report, text, capacity);
        return true;
    }
    if (report->branches < 2 || sum == 0)
        return false;
    name_stages(report, report->path, names);
    snprintf(text, capacity, "up to %u at once: the longest path takes %u %% of the stages' time (%s)",
             report->branches, (uint32_t)((report->path_ns * 100 + sum / 2) / sum), names);
    return true;
}

/* After a launch's busy time: the numbers of the launches before it. */
void pipeline_report_after_json(const struct trm_report *report, uint32_t launch,
                                struct pipeline_writer *writer)
{
    const char *separator = "";

    if (report->branches < 2)
        return;
    pipeline_write(writer, ", \"after\": [");
    for (uint32_t i = 0; i < launch; i++) {
        if ((report->launch_after[launch] >> i & 1) == 0)
            continue;
        pipeline_writef(writer, "%s%" PRIu32, separator, i);
        separator = ", ";
    }
    pipeline_write(writer, "]");
}

static void write_row(struct pipeline_writer *writer, const struct trm_report *report, uint32_t launch)
{
    uint64_t mean = report->tokens != 0 ? report->launches[launch].busy_ns / report->tokens : 0;
    char names[LINE_MOST], text[TEXT_MOST];
    bool is_critical = (report->path >> launch & 1) != 0;

    name_stages(report, report->launch_after[launch], names);
    pipeline_writef(writer, "<tr%s><td>", is_critical ? " class=\"critical\"" : "");
    pipeline_write_html(writer, report->launches[launch].name);
    pipeline_writef(writer, "%s</td><td>%s</td><td>", is_critical ? " (on the longest path)" : "",
                    pipeline_time_text(text, sizeof(text), (double)mean));
    pipeline_write_html(writer, names[0] != '\0' ? names : "nothing");
    pipeline_write(writer, "</td></tr>\n");
}

void pipeline_report_branches_html(const struct trm_report *report, struct pipeline_writer *writer)
{
    if (report->branches < 2)
        return;
    pipeline_write(writer,
                   "<h2>Branches of compute</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>stage</th>"
                   "<th>mean</th><th>runs after</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < count_of(report); i++)
        write_row(writer, report, i);
    pipeline_write(writer, "</tbody></table></div>\n");
}
