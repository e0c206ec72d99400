/* A report as text: about twenty lines of at most 80 columns.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pipeline/report/report_internal.h"

enum {
    BAR       = 30,
    TEXT_MOST = 64
};

/* ---- lines ---------------------------------------------------------------------------------- */

static void write_labelled(struct pipeline_writer *writer, const char *label, const char *text)
{
    pipeline_writef(writer, "  %-11s", label);
    pipeline_write_wrapped(writer, text, 13, 13);
}

/* ---- head ----------------------------------------------------------------------------------- */

static void write_head(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[256];

    snprintf(line, sizeof(line), "%s on %s (%s): %s, %u slot%s",
             report->name[0] != '\0' ? report->name : "pipeline", report->device, report->backend,
             pipeline_report_strategy(report), report->depth, base_plural(report->depth));
    if (report->slots_in_use != 0 && report->slots_in_use < report->depth)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), ", now at most %u at a time in runs",
                 report->slots_in_use);
    if (report->pieces > 1)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), ", %s in %u pieces",
                 pipeline_report_tokens(report), report->pieces);
    pipeline_write_wrapped(writer, line, 0, 0);
    if (report->reason[0] != '\0') {
        pipeline_write(writer, "  ");
        pipeline_write_wrapped(writer, report->reason, 2, 2);
    }
    pipeline_write(writer, "\n");
}

/* "1 523 tokens": a space separates thousands. */
static char *count_text(char *text, size_t capacity, uint64_t count)
{
    char digits[32];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count), at = 0;

    for (size_t i = 0; i < length && at + 2 < capacity; i++) {
        if (i > 0 && (length - i) % 3 == 0 && length > 4)
            text[at++] = ' ';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static char *rate_text(char *text, size_t capacity, double rate)
{
    return pipeline_number_text(text, capacity, rate, rate < 10 ? 2 : rate < 1000 ? 1 : 0);
}

void pipeline_report_lost(const struct trm_report *report, char *text, size_t capacity)
{
    const struct {
        uint64_t count;
        const char *what;
    } lost[]  = {{report->skipped, "skipped"},         {report->failed, "failed"},
                 {report->cancelled, "cancelled"},     {report->dropped, "dropped"},
                 {report->expired, "of them expired"}, {report->late, "late"}};
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
        if (lost[i].count > 0 && at < capacity)
            at += (size_t)snprintf(text + at, capacity - at, "%s%" PRIu64 " %s", at > 0 ? ", " : "",
                                   lost[i].count, lost[i].what);
}

static void write_throughput(struct pipeline_writer *writer, const struct trm_report *report)
{
    double seconds = (double)report->elapsed_ns / 1e9;
    char line[256], count[TEXT_MOST], time[TEXT_MOST], number[TEXT_MOST];
    size_t at;

    at = (size_t)snprintf(line, sizeof(line), "%s in %s", count_text(count, sizeof(count), report->tokens),
                          pipeline_time_text(time, sizeof(time), (double)report->elapsed_ns));
    if (seconds > 0)
        at += (size_t)snprintf(line + at, sizeof(line) - at, ": %s %s/s",
                               rate_text(number, sizeof(number), (double)report->tokens / seconds),
                               pipeline_report_tokens(report));
    if (seconds > 0 && report->bytes_up > 0)
        at += (size_t)snprintf(
            line + at, sizeof(line) - at, ", %s GB/s up",
            pipeline_number_text(number, sizeof(number), (double)report->bytes_up / seconds / 1e9, 2));
    if (seconds > 0 && report->bytes_down > 0)
        snprintf(line + at, sizeof(line) - at, ", %s GB/s down",
                 pipeline_number_text(number, sizeof(number), (double)report->bytes_down / seconds / 1e9, 2));
    write_labelled(writer, pipeline_report_tokens(report), line);
    pipeline_report_lost(report, line, sizeof(line));
    if (line[0] != '\0')
        write_labelled(writer, "", line);
    if (report->failure[0] != '\0')
        write_labelled(writer, "failure", report->failure);
}

/* ---- stages --------------------------------------------------------------------------------- */

static uint32_t share(uint64_t part, uint64_t whole, uint32_t of)
{
    uint64_t cells = whole == 0 ? 0 : (uint64_t)(((unsigned __int128)part * of + whole / 2) / whole);

    return cells < of ? (uint32_t)cells : of;
}

static void write_cells(struct pipeline_writer *writer, const char *cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pipeline_write(writer, cell);
}

static void write_stage(struct pipeline_writer *writer, const struct trm_report *report, uint32_t number)
{
    const struct trm_stage_report *stage = &report->stages[number];
    uint64_t whole                       = report->elapsed_ns;
    uint32_t busy = share(stage->busy_ns, whole, BAR), starved = share(stage->starved_ns, whole, BAR);
    uint32_t blocked = share(stage->blocked_ns, whole, BAR);
    char time[TEXT_MOST];

    pipeline_writef(writer, "%s %-9s", (int32_t)number == report->critical ? ">" : " ",
                    trm_stage_name((int32_t)number));
    if (stage->tokens == 0) {
        pipeline_write(writer, "      -         -         -         -\n");
        return;
    }
    if (starved > BAR - busy)
        starved = BAR - busy;
    if (blocked > BAR - busy - starved)
        blocked = BAR - busy - starved;
    pipeline_time_text(time, sizeof(time), (double)stage->mean_ns);
    pipeline_writef(writer, "%5u %%%8u %%%8u %%%*s%s  ", share(stage->busy_ns, whole, 100),
                    share(stage->starved_ns, whole, 100), share(stage->blocked_ns, whole, 100),
                    10 - (int)pipeline_columns(time, strlen(time)), "", time);
    write_cells(writer, "█", busy);
    write_cells(writer, "░", starved);
    write_cells(writer, "▒", blocked);
    pipeline_write(writer, "\n");
}

/* Whether a stage's time is not all in its three columns. */
static bool has_rest(const struct trm_report *report)
{
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        const struct trm_stage_report *stage = &report->stages[i];
        uint64_t told                        = stage->busy_ns + stage->starved_ns + stage->blocked_ns;

        if (stage->tokens > 0 && told < report->elapsed_ns &&
            share(report->elapsed_ns - told, report->elapsed_ns, 100) >= 2)
            return true;
    }
    return false;
}

static void write_stages(struct pipeline_writer *writer, const struct trm_report *report)
{
    char word[PIPELINE_WORD_BYTES];

    pipeline_writef(writer, "\n  stage     busy █ starved ░ blocked ▒%10s  > the critical stage\n",
                    pipeline_report_a_token(report, word));
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        write_stage(writer, report, i);
    if (has_rest(report))
        pipeline_writef(writer, "  the rest: before its first and after its last %s\n",
                        pipeline_report_token(report));
    pipeline_write(writer, "\n");
}

/* ---- bounds and predictions ----------------------------------------------------------------- */

static void write_launches(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[TRM_REPORT_LAUNCHES * 112];
    uint64_t whole = 0;
    size_t at      = 0;

    for (uint32_t i = 0; i < report->launch_count && i < TRM_REPORT_LAUNCHES; i++)
        whole += report->launches[i].busy_ns;
    if (report->launch_count < 2 || whole == 0)
        return;
    for (uint32_t i = 0; i < report->launch_count && i < TRM_REPORT_LAUNCHES; i++) {
        const char *device = pipeline_report_launch_device(report, i);
        at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s%s%s %u %%", i == 0 ? "" : ", ",
                               report->launches[i].name, device != NULL ? " on " : "",
                               device != NULL ? device : "", share(report->launches[i].busy_ns, whole, 100));
    }
    write_labelled(writer, "compute", line);
    if (pipeline_report_branches_line(report, line, sizeof(line)))
        write_labelled(writer, "branches", line);
}

/* Stages that worked on several tokens at once, whose times are therefore no shares of the stage's time. */
static void write_at_once(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[256], number[TEXT_MOST];

    for (int32_t i = 0; i < TRM_STAGES; i++) {
        const struct trm_stage_report *stage = &report->stages[i];
        double sum                           = (double)stage->mean_ns * (double)stage->tokens;

        if (stage->busy_ns == 0 || sum < (double)stage->busy_ns * 1.1)
            continue;
        snprintf(line, sizeof(line),
                 "%s works on %s %s at once on average, so that each takes longer than its share of the time",
                 trm_stage_name(i),
                 pipeline_number_text(number, sizeof(number), sum / (double)stage->busy_ns, 1),
                 pipeline_report_tokens(report));
        write_labelled(writer, "at once", line);
    }
}

bool pipeline_report_is_paced(const struct trm_report *report)
{
    const struct trm_advice *advised = &report->advised;
    bool is_of_program = (advised->kind == TRM_ADVICE_BOUND && advised->stage == TRM_STAGE_SINK) ||
                         (advised->kind == TRM_ADVICE_MORE && advised->stage == TRM_STAGE_LOAD);

    return is_of_program && report->elapsed_ns / 2 >= report->predicted_ns;
}

static void write_bound(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[256], time[TEXT_MOST], number[TEXT_MOST];

    pipeline_time_text(time, sizeof(time), (double)report->bound_ns);
    if (pipeline_report_is_paced(report))
        snprintf(line, sizeof(line), "%s for %s alone; the program sets the pace", time,
                 trm_stage_name(report->critical));
    else
        snprintf(line, sizeof(line), "%s for %s alone: %s %% of the possible rate", time,
                 trm_stage_name(report->critical),
                 pipeline_number_text(number, sizeof(number), report->efficiency * 100, 1));
    write_labelled(writer, "bound", line);
}

static void write_prediction(struct pipeline_writer *writer, const struct trm_report *report)
{
    double predicted = (double)report->predicted_ns, elapsed = (double)report->elapsed_ns;
    double difference = (elapsed - predicted) / predicted * 100;
    char line[256], time[TEXT_MOST], number[TEXT_MOST];

    if (report->predicted_ns == 0 || report->elapsed_ns == 0)
        return;
    pipeline_number_text(number, sizeof(number), difference < 0 ? -difference : difference, 1);
    pipeline_time_text(time, sizeof(time), predicted);
    if (pipeline_report_is_paced(report))
        snprintf(line, sizeof(line), "%s from these stage times", time);
    else if (strcmp(number, "0.0") == 0)
        snprintf(line, sizeof(line), "%s from these stage times, as measured", time);
    else if (elapsed >= 2 * predicted)
        snprintf(line, sizeof(line), "%s from these stage times; measured %s times as long", time,
                 pipeline_number_text(number, sizeof(number), elapsed / predicted,
                                      elapsed < 10 * predicted ? 1 : 0));
    else
        snprintf(line, sizeof(line), "%s from these stage times; measured %s %% %s", time, number,
                 difference > 0 ? "more" : "less");
    write_labelled(writer, "predicted", line);
}

bool pipeline_report_is_shared(const struct trm_report *report)
{
    return report->strategy == TRM_STRATEGY_ZERO_COPY;
}

bool pipeline_report_has_overlap(const struct trm_report *report)
{
    return (double)report->sequential_ns >= (double)report->elapsed_ns * 1.005;
}

static void write_sequential(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[256], time[TEXT_MOST], number[TEXT_MOST];

    if (report->elapsed_ns == 0)
        return;
    pipeline_time_text(time, sizeof(time), (double)report->sequential_ns);
    if (pipeline_report_has_overlap(report))
        snprintf(line, sizeof(line), "%s one after the other: %s %s times as fast", time,
                 pipeline_report_is_shared(report) ? "with overlap up to" : "overlap made it",
                 pipeline_number_text(number, sizeof(number),
                                      (double)report->sequential_ns / (double)report->elapsed_ns, 2));
    else
        snprintf(line, sizeof(line), "%s of stages, one after the other", time);
    write_labelled(writer, "sequential", line);
}

void pipeline_report_threads(const struct trm_report *report, char *text, size_t capacity)
{
    if (report->one_thread)
        snprintf(text, capacity, "load and sink take turns in one thread");
    else if (report->workers > 0)
        snprintf(text, capacity, "%u loader worker%s", report->workers, base_plural(report->workers));
    else
        snprintf(text, capacity, "%s", "");
}

/* "load waits for 95 % of its time, sink for 20 %" */
static void write_waiting(struct pipeline_writer *writer, const struct trm_report *report)
{
    uint32_t load  = share(report->load_waiting_ns, report->stages[TRM_STAGE_LOAD].busy_ns, 100);
    uint32_t sink  = share(report->sink_waiting_ns, report->stages[TRM_STAGE_SINK].busy_ns, 100);
    char line[128] = "";

    if (load >= 10)
        snprintf(line, sizeof(line), "load waits for %u %% of its time", load);
    if (sink >= 10)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s %u %%%s",
                 load >= 10 ? ", sink for" : "sink waits for", sink, load >= 10 ? "" : " of its time");
    if (line[0] != '\0')
        write_labelled(writer, "", line);
}

static void write_threads(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[TEXT_MOST];

    pipeline_report_threads(report, line, sizeof(line));
    if (line[0] != '\0')
        write_labelled(writer, "threads", line);
    write_waiting(writer, report);
}

static void write_memory(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[256], number[TEXT_MOST], device[TEXT_MOST], host[TEXT_MOST];

    snprintf(line, sizeof(line), "%s of %u in use on average; %s on the device, %s on the host",
             pipeline_number_text(number, sizeof(number), report->fill * report->depth, 1), report->depth,
             pipeline_bytes_text(device, sizeof(device), report->device_bytes),
             pipeline_bytes_text(host, sizeof(host), report->host_bytes));
    write_labelled(writer, "slots", line);
    if (report->host_waits == 0 && report->pageable_copies == 0)
        return;
    snprintf(line, sizeof(line), "%" PRIu64 " wait%s on the host, %" PRIu64 " cop%s of pageable memory",
             report->host_waits, base_plural(report->host_waits), report->pageable_copies,
             report->pageable_copies == 1 ? "y" : "ies");
    write_labelled(writer, "", line);
}

/* "12 of shared ports: 1.20 ms each, 9 % of the time" */
static void write_joins(struct pipeline_writer *writer, const struct trm_report *report)
{
    char line[128], time[TEXT_MOST];

    if (report->joins == 0)
        return;
    snprintf(line, sizeof(line), "%" PRIu64 " of shared ports", report->joins);
    if (report->join_ns != 0)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), ": %s each, %u %% of the time",
                 pipeline_time_text(time, sizeof(time), (double)report->join_ns / (double)report->joins),
                 share(report->join_ns, report->elapsed_ns, 100));
    write_labelled(writer, "joins", line);
}

void pipeline_report_text(const struct trm_report *report, struct pipeline_writer *writer)
{
    char line[256];

    write_head(writer, report);
    write_throughput(writer, report);
    if (report->critical >= 0) {
        write_stages(writer, report);
        write_launches(writer, report);
        write_at_once(writer, report);
        write_bound(writer, report);
        write_prediction(writer, report);
        write_sequential(writer, report);
    }
    write_joins(writer, report);
    write_threads(writer, report);
    write_memory(writer, report);
    if (pipeline_report_ahead_line(report, line, sizeof(line)))
        write_labelled(writer, "ahead", line);
    pipeline_report_devices_text(report, writer);
    if (report->advice[0] != '\0') {
        pipeline_write(writer, "\n");
        pipeline_write_wrapped(writer, report->advice, 0, 0);
    }
}
