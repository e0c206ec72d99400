/* The timeline: one self-contained HTML file.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pipeline/report/report_internal.h"
#include "pipeline/report/trace.h"

enum {
    TOKENS_MOST = 8192, /* the last ones, about 150 bytes each */
    TEXT_MOST   = 64
};

/* ---- parts of a page ------------------------------------------------------------------------ */

static void write_figure(struct pipeline_writer *writer, const char *name, const char *value,
                         const char *more)
{
    pipeline_write(writer, "<div><dt>");
    pipeline_write_html(writer, name);
    pipeline_writef(writer, "</dt><dd>%s", value);
    if (more[0] != '\0')
        pipeline_writef(writer, "<small>%s</small>", more);
    pipeline_write(writer, "</dd></div>\n");
}

static void write_paragraph(struct pipeline_writer *writer, const char *class, const char *text)
{
    if (text[0] == '\0')
        return;
    pipeline_writef(writer, "<p class=\"%s\">", class);
    pipeline_write_html(writer, text);
    pipeline_write(writer, "</p>\n");
}

static uint32_t percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (uint32_t)(((unsigned __int128)part * 100 + whole / 2) / whole);
}

static const char *name_of(const struct trm_report *report)
{
    return report->name[0] != '\0' ? report->name : "pipeline";
}

/* ---- above the chart ------------------------------------------------------------------------ */

static void write_begin(struct pipeline_writer *writer, const struct trm_report *report)
{
    char threads[TEXT_MOST];

    pipeline_write(writer,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    pipeline_write_html(writer, name_of(report));
    pipeline_write(writer, ": timeline</title>\n<style>\n");
    pipeline_write(writer, pipeline_timeline_style);
    pipeline_write(writer, "</style>\n</head>\n<body>\n<main>\n<h1>");
    pipeline_write_html(writer, name_of(report));
    pipeline_write(writer, "</h1>\n<p class=\"under\">");
    pipeline_write_html(writer, report->device);
    pipeline_writef(writer, ", %s, %u slot%s", pipeline_report_strategy(report), report->depth,
                    base_plural(report->depth));
    pipeline_report_threads(report, threads, sizeof(threads));
    if (threads[0] != '\0')
        pipeline_writef(writer, ", %s", threads);
    if (report->reason[0] != '\0') {
        pipeline_write(writer, " — ");
        pipeline_write_html(writer, report->reason);
    }
    pipeline_write(writer, "</p>\n");
}

static void write_tokens_figure(struct pipeline_writer *writer, const struct trm_report *report)
{
    char value[TEXT_MOST], more[2 * TEXT_MOST];

    snprintf(value, sizeof(value), "%" PRIu64, report->tokens);
    pipeline_report_lost(report, more, sizeof(more));
    write_figure(writer, pipeline_report_tokens(report), value, more);
}

static void write_rate_figure(struct pipeline_writer *writer, const struct trm_report *report)
{
    double seconds = (double)report->elapsed_ns / 1e9, rate = (double)report->tokens / seconds;
    char value[TEXT_MOST], more[2 * TEXT_MOST]              = "", number[TEXT_MOST];

    snprintf(value, sizeof(value), "%s/s",
             pipeline_number_text(number, sizeof(number), rate,
                                  rate < 10     ? 2
                                  : rate < 1000 ? 1
                                                : 0));
    if (report->bytes_up > 0 || report->bytes_down > 0) {
        char up[TEXT_MOST], down[TEXT_MOST];
        snprintf(more, sizeof(more), "%s GB/s up, %s down",
                 pipeline_number_text(up, sizeof(up), (double)report->bytes_up / seconds / 1e9, 2),
                 pipeline_number_text(down, sizeof(down), (double)report->bytes_down / seconds / 1e9, 2));
    }
    write_figure(writer, "throughput", value, more);
}

static void write_bound_figures(struct pipeline_writer *writer, const struct trm_report *report)
{
    char value[TEXT_MOST], more[2 * TEXT_MOST], number[TEXT_MOST];

    snprintf(value, sizeof(value), "%s %%",
             pipeline_number_text(number, sizeof(number), report->efficiency * 100, 1));
    snprintf(more, sizeof(more), "bound %s (%s alone)",
             pipeline_time_text(number, sizeof(number), (double)report->bound_ns),
             trm_stage_name(report->critical));
    if (pipeline_report_is_paced(report))
        write_figure(writer, "busy: the program sets the pace", value, more);
    else
        write_figure(writer, "of the possible rate", value, more);
    if (pipeline_report_has_overlap(report)) {
        snprintf(value, sizeof(value), "%s ×",
                 pipeline_number_text(number, sizeof(number),
                                      (double)report->sequential_ns / (double)report->elapsed_ns, 2));
        snprintf(more, sizeof(more), "%ssequential %s", pipeline_report_is_shared(report) ? "at most; " : "",
                 pipeline_time_text(number, sizeof(number), (double)report->sequential_ns));
        write_figure(writer, "gain by overlap", value, more);
    }
    snprintf(value, sizeof(value), "%s of %u",
             pipeline_number_text(number, sizeof(number), report->fill * report->depth, 1), report->depth);
    write_figure(writer, "slots in use", value, "on average");
}

static void write_figures(struct pipeline_writer *writer, const struct trm_report *report)
{
    char value[TEXT_MOST], more[TEXT_MOST] = "", number[TEXT_MOST];

    pipeline_write(writer, "<dl class=\"figures\">\n");
    write_tokens_figure(writer, report);
    if (report->elapsed_ns > 0) {
        if (report->predicted_ns > 0)
            snprintf(more, sizeof(more), "predicted %s",
                     pipeline_time_text(number, sizeof(number), (double)report->predicted_ns));
        write_figure(writer, "time", pipeline_time_text(value, sizeof(value), (double)report->elapsed_ns),
                     more);
        write_rate_figure(writer, report);
        if (report->critical >= 0)
            write_bound_figures(writer, report);
    }
    pipeline_write(writer, "</dl>\n");
    write_paragraph(writer, "failure", report->failure);
    write_paragraph(writer, "advice", report->advice);
}

/* ---- the chart and the table ---------------------------------------------------------------- */

static void write_chart(struct pipeline_writer *writer, const struct pipeline_trace *trace, uint32_t skipped)
{
    char word[PIPELINE_WORD_BYTES];

    pipeline_write(writer, "<section class=\"chart\" aria-label=\"Timeline\">\n<div class=\"tools\"><span>");
    if (skipped > 0)
        pipeline_writef(writer, "The last %u of %u kept ", trace->token_count - skipped, trace->token_count);
    else if (trace->token_count < trace->report->tokens)
        pipeline_writef(writer, "The last %u of %" PRIu64 " ", trace->token_count, trace->report->tokens);
    if (skipped > 0 || trace->token_count < trace->report->tokens) {
        pipeline_write_html(writer, pipeline_report_tokens(trace->report));
        pipeline_write(writer, ". ");
    }
    pipeline_write(writer, "Wheel to zoom, drag to move, point at ");
    pipeline_write_html(writer, pipeline_report_a_token(trace->report, word));
    pipeline_write(
        writer,
        " to follow it.</span>\n"
        "<button type=\"button\" id=\"in\" aria-label=\"Zoom in\">+</button>\n"
        "<button type=\"button\" id=\"out\" aria-label=\"Zoom out\">−</button>\n"
        "<button type=\"button\" id=\"all\">All</button></div>\n"
        "<svg id=\"timeline\" role=\"img\" tabindex=\"0\" aria-labelledby=\"what how\" height=\"240\">"
        "<title id=\"what\">When each ");
    pipeline_write_html(writer, pipeline_report_token(trace->report));
    pipeline_write(
        writer,
        " was in which stage</title>"
        "<desc id=\"how\">A lane for each stage, and of several devices for each stage on each of them, with "
        "a bar for each ");
    pipeline_write_html(writer, pipeline_report_token(trace->report));
    pipeline_write(
        writer, "; the table below has the sums. "
                "Keys: plus, minus, 0, left, right.</desc></svg>\n"
                "<div id=\"hint\" hidden></div>\n"
                "<noscript>The drawing needs JavaScript; the table below does not.</noscript>\n</section>\n");
}

static void write_cell_time(struct pipeline_writer *writer, uint64_t nanoseconds)
{
    char text[TEXT_MOST];

    pipeline_writef(writer, "<td>%s</td>", pipeline_time_text(text, sizeof(text), (double)nanoseconds));
}

static void write_row(struct pipeline_writer *writer, const struct trm_report *report, int32_t number)
{
    const struct trm_stage_report *stage = &report->stages[number];
    char text[TEXT_MOST];

    pipeline_writef(writer, "<tr%s><td>%s%s</td>", number == report->critical ? " class=\"critical\"" : "",
                    trm_stage_name(number), number == report->critical ? " (critical)" : "");
    if (stage->tokens == 0) {
        pipeline_write(writer,
                       "<td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td></tr>\n");
        return;
    }
    pipeline_writef(
        writer, "<td>%u %%</td><td>%u %%</td><td>%u %%</td>", percent(stage->busy_ns, report->elapsed_ns),
        percent(stage->starved_ns, report->elapsed_ns), percent(stage->blocked_ns, report->elapsed_ns));
    write_cell_time(writer, stage->mean_ns);
    write_cell_time(writer, stage->least_ns);
    write_cell_time(writer, stage->most_ns);
    pipeline_writef(writer, "<td>%s</td></tr>\n",
                    stage->bytes > 0 ? pipeline_bytes_text(text, sizeof(text), stage->bytes) : "–");
}

static void write_table(struct pipeline_writer *writer, const struct trm_report *report)
{
    pipeline_write(
        writer, "<h2>Stages</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>stage</th><th>busy</th>"
                "<th>starved</th><th>blocked</th><th>mean</th><th>least</th><th>most</th><th>bytes</th></tr>"
                "</thead>\n<tbody>\n");
    for (int32_t i = 0; i < TRM_STAGES; i++)
        write_row(writer, report, i);
    pipeline_write(writer, "</tbody></table></div>\n");
}

/* ---- the data ------------------------------------------------------------------------------- */

static void write_data_tokens(struct pipeline_writer *writer, const struct pipeline_trace *trace,
                              uint32_t skipped)
{
    pipeline_write(writer, "\"tokens\": [");
    for (uint32_t i = skipped; i < trace->token_count; i++) {
        const struct pipeline_token_times *times = pipeline_measure_traced(trace->measure, i);

        pipeline_writef(writer, "%s[%" PRIu64 ",%u,", i == skipped ? "" : ",", times->index, times->slot);
        if (times->status == TRM_OK)
            pipeline_write(writer, "0]");
        else
            pipeline_writef(writer, "\"%s\"]", pipeline_trace_status(times->status));
    }
    pipeline_write(writer, "]");
}

/* Why a lane is empty. */
static void write_why_empty(struct pipeline_writer *writer, const struct trm_report *report,
                            const struct pipeline_track *track)
{
    char text[2 * TEXT_MOST];

    if (track->device >= 0 && report->devices[track->device].tokens == 0)
        snprintf(text, sizeof(text), "no %s came to this device", pipeline_report_token(report));
    else if (track->stage != TRM_STAGE_UPLOAD && track->stage != TRM_STAGE_DOWNLOAD)
        snprintf(text, sizeof(text), "no %s spent time here", pipeline_report_token(report));
    else
        snprintf(text, sizeof(text), "%s",
                 report->strategy == TRM_STRATEGY_ZERO_COPY ? "no copies: host and device share the memory"
                                                            : "nothing was copied");
    pipeline_write_json(writer, text);
}

/* The time for which a track had a token. */
static uint64_t busy_of(const struct pipeline_track *track)
{
    uint64_t busy = 0, until = 0;

    for (uint32_t i = 0; i < track->slice_count; i++) {
        uint64_t begin = track->slices[i].begin > until ? track->slices[i].begin : until;

        if (track->slices[i].end <= begin)
            continue;
        busy += track->slices[i].end - begin;
        until = track->slices[i].end;
    }
    return busy;
}

/* "80 % busy"; of one device in the time of the traced tokens. */
static void write_busy(struct pipeline_writer *writer, const struct pipeline_trace *trace,
                       const struct pipeline_track *track)
{
    const struct trm_stage_report *stage = &trace->report->stages[track->stage];

    if (track->device >= 0 && track->slice_count > 0)
        pipeline_writef(writer, "%u %% busy", percent(busy_of(track), trace->last - trace->first));
    else if (track->device < 0 && stage->tokens > 0)
        pipeline_writef(writer, "%u %% busy", percent(stage->busy_ns, trace->report->elapsed_ns));
}

static void write_data_track(struct pipeline_writer *writer, const struct pipeline_trace *trace,
                             uint32_t number, uint32_t skipped, uint64_t first)
{
    const struct pipeline_track *track = &trace->tracks[number];
    bool is_critical = trace->report->critical == (int32_t)track->stage && track->slice_count > 0;
    uint32_t written = 0;

    pipeline_write(writer, number == 0 ? "\n{\"name\": " : ",\n{\"name\": ");
    pipeline_write_json(writer, track->name);
    pipeline_writef(writer, ", \"critical\": %s, \"lanes\": %u, \"none\": ", is_critical ? "true" : "false",
                    track->lanes);
    write_why_empty(writer, trace->report, track);
    pipeline_write(writer, ", \"busy\": \"");
    write_busy(writer, trace, track);
    pipeline_write(writer, "\", \"slices\": [");
    for (uint32_t i = 0; i < track->slice_count; i++) {
        const struct pipeline_slice *slice = &track->slices[i];

        if (slice->token >= skipped)
            pipeline_writef(writer, "%s[%" PRIu64 ",%" PRIu64 ",%u,%u]", written++ == 0 ? "" : ",",
                            slice->begin - first, slice->end - slice->begin, slice->token - skipped,
                            slice->lane);
    }
    pipeline_write(writer, "]}");
}

/* The earliest begin of the drawn slices. */
static uint64_t first_drawn(const struct pipeline_trace *trace, uint32_t skipped)
{
    uint64_t first = trace->last;

    for (uint32_t t = 0; t < trace->track_count; t++) {
        const struct pipeline_track *track = &trace->tracks[t];

        for (uint32_t i = 0; i < track->slice_count; i++)
            if (track->slices[i].token >= skipped && track->slices[i].begin < first)
                first = track->slices[i].begin;
    }
    return first;
}

static void write_data(struct pipeline_writer *writer, const struct pipeline_trace *trace, uint32_t skipped)
{
    uint64_t first = first_drawn(trace, skipped), length = trace->last - first;

    pipeline_writef(writer,
                    "<script type=\"application/json\" id=\"data\">\n{\"end\": %" PRIu64 ", \"token\": ",
                    length > 0 ? length : 1);
    pipeline_write_json(writer, pipeline_report_token(trace->report));
    pipeline_write(writer, ", ");
    write_data_tokens(writer, trace, skipped);
    pipeline_write(writer, ",\n\"tracks\": [");
    for (uint32_t i = 0; i < trace->track_count; i++)
        write_data_track(writer, trace, i, skipped, first);
    pipeline_write(writer, "]}\n</script>\n");
}

void pipeline_trace_timeline(const struct pipeline_trace *trace, struct pipeline_writer *writer)
{
    uint32_t skipped = trace->token_count > TOKENS_MOST ? trace->token_count - TOKENS_MOST : 0;

    write_begin(writer, trace->report);
    write_figures(writer, trace->report);
    write_chart(writer, trace, skipped);
    write_table(writer, trace->report);
    pipeline_report_branches_html(trace->report, writer);
    pipeline_report_devices_html(trace->report, writer);
    pipeline_write(writer, "<footer>Made by Trireme. Busy: at least one ");
    pipeline_write_html(writer, pipeline_report_token(trace->report));
    pipeline_write(writer, " was in the stage; starved: none had come to it; "
                           "blocked: one had, and waited.</footer>\n</main>\n");
    write_data(writer, trace, skipped);
    pipeline_write(writer, "<script>\n");
    pipeline_write(writer, pipeline_timeline_script);
    pipeline_write(writer, "</script>\n</body>\n</html>\n");
}
