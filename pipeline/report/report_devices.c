/* What each device of a group did: the table of a report and of the timeline, and its part of the JSON.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/report/report_internal.h"

#define TEXT_MOST 32
#define SPREAD_MOST 128
#define MEANS_MOST (TRM_REPORT_DEVICES * 64)

/* A device that got fewer tokens than this part (1 in so many) added nothing. */
#define IDLE_PART 50

/* What a device must have cost to be said to hold the others up; as much as advice gains at least. */
#define COST_LEAST 1.05

static const char *word_for(const struct trm_report *report, uint64_t count)
{
    return count == 1 ? pipeline_report_token(report) : pipeline_report_tokens(report);
}

static uint64_t sum_of(const struct trm_report *report)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < report->device_count && i < TRM_REPORT_DEVICES; i++)
        sum += report->devices[i].tokens;
    return sum;
}

static uint32_t count_of(const struct trm_report *report)
{
    return report->device_count < TRM_REPORT_DEVICES ? report->device_count : TRM_REPORT_DEVICES;
}

/* How many devices lose more than this one where shares are rounded down; of equal ones the first counts. */
static uint64_t rank_of(const struct trm_report *report, uint32_t index, uint64_t sum)
{
    uint64_t lost = report->devices[index].tokens * 100 % sum, rank = 0;

    for (uint32_t i = 0; i < count_of(report); i++) {
        uint64_t other = report->devices[i].tokens * 100 % sum;
        rank += other > lost || (other == lost && i < index);
    }
    return rank;
}

/* Percent. All shares add up to 100: they are rounded down, and those that lose the most get one more. */
static uint64_t share_of(const struct trm_report *report, uint32_t index, uint64_t sum)
{
    uint64_t left = 100;

    if (sum == 0)
        return 0;
    for (uint32_t i = 0; i < count_of(report); i++)
        left -= report->devices[i].tokens * 100 / sum;
    return report->devices[index].tokens * 100 / sum + (rank_of(report, index, sum) < left);
}

/* ---- strategies ----------------------------------------------------------------------------- */

static bool is_first_of_its_strategy(const int32_t *strategies, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strategies[i] == strategies[index])
            return false;
    return true;
}

/* "role streams on mine:0 and mine:1" */
static size_t name_devices(const struct trm_report *report, const int32_t *strategies, uint32_t first,
                           char *text, size_t capacity)
{
    size_t at = (size_t)snprintf(text, capacity, "%s%s on %s", first == 0 ? "" : ", ",
                                 trm_strategy_name(strategies[first]), report->devices[first].device);

    for (uint32_t i = first + 1; i < count_of(report) && at < capacity; i++)
        if (strategies[i] == strategies[first])
            at += (size_t)snprintf(text + at, capacity - at, " and %s", report->devices[i].device);
    return at;
}

void pipeline_report_strategies(struct trm_report *report, const int32_t *strategies)
{
    char reason[sizeof(report->reason)];
    size_t at = 0, capacity = sizeof(report->reason);
    bool differ = false;

    for (uint32_t i = 0; i < count_of(report); i++)
        differ |= strategies[i] != strategies[0];
    if (!differ)
        return;
    memcpy(reason, report->reason, sizeof(reason));
    for (uint32_t i = 0; i < count_of(report) && at < capacity; i++)
        if (is_first_of_its_strategy(strategies, i))
            at += name_devices(report, strategies, i, report->reason + at, capacity - at);
    if (reason[0] != '\0' && at < capacity)
        (void)snprintf(report->reason + at, capacity - at, "; of %s: %.*s", report->devices[0].device,
                       (int)(capacity - at), reason);
}

/* ---- the table ------------------------------------------------------------------------------ */

static const char *time_of(char text[TEXT_MOST], uint64_t nanoseconds)
{
    return nanoseconds != 0 ? pipeline_time_text(text, TEXT_MOST, (double)nanoseconds) : "-";
}

/* "µ" has two bytes and one column. */
static int padding(const char *text, int width)
{
    int columns = 0;

    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns < width ? width - columns : 0;
}

/* Nanoseconds of the device that takes the shortest time for a token alone. 0: none is known. */
static uint64_t shortest_latency(const struct trm_report *report)
{
    uint64_t shortest = 0;

    for (uint32_t i = 0; i < count_of(report); i++) {
        const struct trm_device_report *device = &report->devices[i];
        if (device->lost == 0 && device->latency_ns != 0 && (shortest == 0 || device->latency_ns < shortest))
            shortest = device->latency_ns;
    }
    return shortest;
}

static const char *note_of(const struct trm_report *report, uint32_t index, uint64_t sum)
{
    const struct trm_device_report *device = &report->devices[index];

    if (device->lost != 0)
        return "lost";
    if (pipeline_report_gain_without(report, index) >= COST_LEAST)
        return "too slow: holds the others up";
    if (device->tokens * IDLE_PART >= sum)
        return "";
    if (report->spread_tokens * IDLE_PART >= sum)
        return "works on the others' tokens";
    if (device->latency_ns == 0)
        return "";
    if (report->slots_in_use == 1)
        return "one slot is in use at a time";
    /* It is slow, or tokens stayed on another one, which kept up with the thread that runs the pipeline. */
    return device->latency_ns < PIPELINE_SLOW_TIMES * shortest_latency(report)
               ? "not needed: another one keeps up"
               : "too slow: the others finish first";
}

static void write_device(struct pipeline_writer *writer, const struct trm_report *report, uint32_t index,
                         uint64_t sum)
{
    const struct trm_device_report *device = &report->devices[index];
    char latency[TEXT_MOST], period[TEXT_MOST];
    const char *alone = time_of(latency, device->latency_ns), *each = time_of(period, device->period_ns);
    const char *note = note_of(report, index, sum);

    pipeline_writef(writer, "  %-14s%9" PRIu64 "  %3" PRIu64 " %%%6u%*s%s%*s%s%s%s\n", device->device,
                    device->tokens, share_of(report, index, sum), device->depth, padding(alone, 10), "",
                    alone, padding(each, 11), "", each, note[0] != '\0' ? "  " : "", note);
}

/* So much of a sentence says which one it is: it names its device at the beginning. */
#define SENTENCE_LEAST 48

/* Without the dots where base_text_copy() has cut the text. */
static size_t uncut_length(const char *text)
{
    size_t length = strlen(text);

    return length >= 3 && strcmp(text + length - 3, "...") == 0 ? length - 3 : length;
}

/* Whether the text has the sentence, of which either may have the beginning alone. */
static bool has_sentence(const char *text, const char *sentence)
{
    for (const char *at = text; (at = strchr(at, sentence[0])) != NULL; at++) {
        size_t rest = uncut_length(at), whole = uncut_length(sentence);
        if (strncmp(at, sentence, rest < whole ? rest : whole) == 0 &&
            (rest >= whole || rest >= SENTENCE_LEAST))
            return true;
    }
    return false;
}

/* Whether `loss` or an earlier device tells why: a device whose streams wait for those of a lost one may
 * count as lost for the same reason. */
static bool is_said(const struct trm_report *report, uint32_t index)
{
    const char *sentence = report->device_loss[index];

    for (uint32_t i = 0; i < index; i++)
        if (strcmp(report->device_loss[i], sentence) == 0)
            return true;
    return sentence[0] == '\0' || has_sentence(report->loss, sentence);
}

static uint32_t count_lost(const struct trm_report *report)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < count_of(report); i++)
        lost += report->devices[i].lost != 0;
    return lost;
}

static bool has_unsaid(const struct trm_report *report)
{
    for (uint32_t i = 0; i < count_of(report); i++)
        if (!is_said(report, i))
            return true;
    return false;
}

static void write_unsaid(struct pipeline_writer *writer, const struct trm_report *report)
{
    for (uint32_t i = 0; i < count_of(report); i++)
        if (!is_said(report, i))
            pipeline_writef(writer, "  %s\n", report->device_loss[i]);
}

/* Why devices were lost, each with its sentence; first the one of `loss`, which names its token. */
static void write_losses(struct pipeline_writer *writer, const struct trm_report *report)
{
    uint32_t lost = count_lost(report);

    if (report->loss[0] != '\0' && report->repeated != 0) {
        pipeline_writef(writer, "\n  %" PRIu64 " %s %s repeated on another device after this:\n  %.200s\n",
                        report->repeated, word_for(report, report->repeated),
                        report->repeated == 1 ? "was" : "were", report->loss);
        if (has_unsaid(report))
            pipeline_write(writer, "\n  lost besides:\n");
    } else if (report->loss[0] != '\0' || has_unsaid(report)) {
        if (lost > 1)
            pipeline_writef(writer, "\n  %u devices were lost:\n", lost);
        else
            pipeline_write(writer, "\n  a device was lost:\n");
        if (report->loss[0] != '\0')
            pipeline_writef(writer, "  %.200s\n", report->loss);
    }
    write_unsaid(writer, report);
}

static const char *spread_text(const struct trm_report *report, char text[SPREAD_MOST])
{
    snprintf(text, SPREAD_MOST, "all devices worked at once on each of %" PRIu64 " %s", report->spread_tokens,
             word_for(report, report->spread_tokens));
    return text;
}

/* Whether the devices differ so much that the mean of a stage is that of none of them. */
static bool is_mixed(const struct trm_report *report, uint32_t stage)
{
    uint64_t least = 0, most = 0;

    for (uint32_t i = 0; i < count_of(report); i++) {
        uint64_t time = report->device_stage_ns[i][stage];
        if (time != 0 && (least == 0 || time < least))
            least = time;
        most = time > most ? time : most;
    }
    return least != 0 && most >= PIPELINE_SLOW_TIMES * least;
}

/* "compute takes 343 µs for a token on cpu:0, 45.4 ms on vulkan:0" */
static bool mean_text(const struct trm_report *report, uint32_t stage, char *text, size_t capacity)
{
    const char *separator = "";
    char time[TEXT_MOST], word[PIPELINE_WORD_BYTES];

    if (report->spread_tokens != 0 || !is_mixed(report, stage))
        return false;
    size_t at = (size_t)snprintf(text, capacity, "%s takes for %s ", trm_stage_name((int32_t)stage),
                                 pipeline_report_a_token(report, word));
    for (uint32_t i = 0; i < count_of(report) && at < capacity; i++) {
        if (report->device_stage_ns[i][stage] == 0)
            continue;
        at += (size_t)snprintf(text + at, capacity - at, "%s%s on %s", separator,
                               time_of(time, report->device_stage_ns[i][stage]), report->devices[i].device);
        separator = ", ";
    }
    return true;
}

static void write_means(struct pipeline_writer *writer, const struct trm_report *report)
{
    const char *before = "\n  ";
    char text[MEANS_MOST];

    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        if (!mean_text(report, i, text, sizeof(text)))
            continue;
        pipeline_write(writer, before);
        pipeline_write_wrapped(writer, text, 2, 2);
        before = "  ";
    }
}

void pipeline_report_devices_text(const struct trm_report *report, struct pipeline_writer *writer)
{
    uint64_t sum = sum_of(report);
    char word[PIPELINE_WORD_BYTES], spread[SPREAD_MOST];

    if (report->device_count == 0)
        return;
    pipeline_writef(writer, "\n  %-14s%9s  share slots%10s       each\n", "device",
                    pipeline_report_tokens(report), pipeline_report_a_token(report, word));
    for (uint32_t i = 0; i < report->device_count && i < TRM_REPORT_DEVICES; i++)
        write_device(writer, report, i, sum);
    write_means(writer, report);
    if (report->spread_tokens != 0)
        pipeline_writef(writer, "\n  %s\n", spread_text(report, spread));
    write_losses(writer, report);
    if (report->shared[0] != '\0')
        pipeline_writef(writer, "\n  %.200s\n", report->shared);
}

static void write_device_row(struct pipeline_writer *writer, const struct trm_report *report, uint32_t index)
{
    const struct trm_device_report *device = &report->devices[index];
    uint64_t sum                           = sum_of(report);
    char latency[TEXT_MOST], period[TEXT_MOST];

    pipeline_write(writer, "<tr><td>");
    pipeline_write_html(writer, device->device);
    pipeline_writef(writer,
                    "</td><td>%" PRIu64 "</td><td>%" PRIu64 " %%</td><td>%u</td><td>%s</td><td>%s</td>"
                    "<td>%s</td></tr>\n",
                    device->tokens, share_of(report, index, sum), device->depth,
                    time_of(latency, device->latency_ns), time_of(period, device->period_ns),
                    note_of(report, index, sum));
}

static void write_under(struct pipeline_writer *writer, const char *before, const char *text)
{
    pipeline_writef(writer, "<p class=\"under\">%s", before);
    pipeline_write_html(writer, text);
    pipeline_write(writer, "</p>\n");
}

void pipeline_report_devices_html(const struct trm_report *report, struct pipeline_writer *writer)
{
    char word[PIPELINE_WORD_BYTES], spread[SPREAD_MOST], means[MEANS_MOST];

    if (report->device_count == 0)
        return;
    pipeline_write(writer, "<h2>Devices</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>device</th><th>");
    pipeline_write_html(writer, pipeline_report_tokens(report));
    pipeline_write(writer, "</th><th>share</th><th>slots</th><th>");
    pipeline_write_html(writer, pipeline_report_a_token(report, word));
    pipeline_write(writer, "</th><th>each</th><th></th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < report->device_count && i < TRM_REPORT_DEVICES; i++)
        write_device_row(writer, report, i);
    pipeline_write(writer, "</tbody></table></div>\n");
    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++)
        if (mean_text(report, i, means, sizeof(means)))
            write_under(writer, "", means);
    if (report->spread_tokens != 0)
        write_under(writer, "", spread_text(report, spread));
    if (report->loss[0] != '\0')
        write_under(writer, "Lost: ", report->loss);
    for (uint32_t i = 0; i < count_of(report); i++)
        if (!is_said(report, i))
            write_under(writer, "Lost: ", report->device_loss[i]);
    if (report->shared[0] != '\0')
        write_under(writer, "", report->shared);
}

static void write_seconds(struct pipeline_writer *writer, const char *key, uint64_t nanoseconds)
{
    pipeline_writef(writer, ", \"%s\": ", key);
    pipeline_write_scaled(writer, nanoseconds, 9);
}

void pipeline_report_devices_json(const struct trm_report *report, struct pipeline_writer *writer)
{
    pipeline_write(writer, ",\n  \"devices\": [");
    for (uint32_t i = 0; i < report->device_count && i < TRM_REPORT_DEVICES; i++) {
        const struct trm_device_report *device = &report->devices[i];
        pipeline_write(writer, i == 0 ? "\n    {\"device\": " : ",\n    {\"device\": ");
        pipeline_write_json(writer, device->device);
        pipeline_writef(
            writer, ", \"depth\": %" PRIu32 ", \"lost\": %s, \"tokens\": %" PRIu64 ", \"failed\": %" PRIu64,
            device->depth, device->lost != 0 ? "true" : "false", device->tokens, device->failed);
        write_seconds(writer, "busy_seconds", device->busy_ns);
        write_seconds(writer, "latency_seconds", device->latency_ns);
        write_seconds(writer, "period_seconds", device->period_ns);
        write_seconds(writer, "upload_seconds", report->device_stage_ns[i][TRM_STAGE_UPLOAD]);
        write_seconds(writer, "compute_seconds", report->device_stage_ns[i][TRM_STAGE_COMPUTE]);
        write_seconds(writer, "download_seconds", report->device_stage_ns[i][TRM_STAGE_DOWNLOAD]);
        pipeline_write(writer, ", \"loss\": ");
        pipeline_write_json(writer, report->device_loss[i]);
        pipeline_write(writer, "}");
    }
    pipeline_write(writer, report->device_count > 0 ? "\n  ]" : "]");
    pipeline_writef(writer,
                    ",\n  \"spread_tokens\": %" PRIu64 ",\n  \"repeated\": %" PRIu64 ",\n  \"loss\": ",
                    report->spread_tokens, report->repeated);
    pipeline_write_json(writer, report->loss);
    pipeline_write(writer, ",\n  \"shared\": ");
    pipeline_write_json(writer, report->shared);
}
