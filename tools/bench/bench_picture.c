/* Trireme: `trireme bench --picture`: when each of some tasks ran, on one stream, on streams in turn, and on
 * those that a pool chose. The times are those of a profile, read from its trace.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_mix.h"

#include "tools/command/command.h"
#include "tools/output/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BARS_MOST  = 256,
    LANES_MOST = 64,
    CHARTS     = 3,
    LEARNING   = 40, /* runs before those that are timed */
    ROUNDS     = 9,
    /* Of the picture, in pixels. */
    WIDTH  = 1200,
    LEFT   = 110,
    RIGHT  = 20,
    HEAD   = 76,
    TITLE  = 34,
    LANE   = 16,
    MARGIN = 14,
};

struct bar {
    uint64_t begin, end; /* nanoseconds */
    uint32_t lane;
    int name; /* index of bench_mix_names */
};

struct chart {
    const char *title;
    struct bar bars[BARS_MOST];
    uint32_t count, lanes;
    uint32_t threads[LANES_MOST]; /* of the trace */
    uint64_t begin, end;
};

static uint64_t length_of(const struct chart *chart)
{
    return chart->end - chart->begin;
}

/* ---- reading the trace --------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t size, capacity;
};

static int32_t append(void *user, const char *data, size_t size)
{
    struct text *text = user;

    if (text->size + size + 1 > text->capacity) {
        size_t capacity = 2 * (text->size + size + 1);
        char *grown     = output_allocate(capacity, 1);

        if (text->bytes)
            memcpy(grown, text->bytes, text->size);
        free(text->bytes);
        text->bytes    = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, data, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return TRM_OK;
}

static int find_name(const char *name)
{
    for (int i = 0; i < BENCH_MIX_NAMES; i++)
        if (strcmp(bench_mix_names[i], name) == 0)
            return i;
    return -1;
}

static uint32_t lane_of(struct chart *chart, uint32_t thread)
{
    for (uint32_t i = 0; i < chart->lanes; i++)
        if (chart->threads[i] == thread)
            return i;
    if (chart->lanes == LANES_MOST)
        return LANES_MOST - 1;
    chart->threads[chart->lanes] = thread;
    return chart->lanes++;
}

/* Microseconds with three decimals, as the trace has them, in nanoseconds. */
static const char *read_time(const char *text, const char *before, uint64_t *nanoseconds)
{
    const char *at = text ? strstr(text, before) : NULL;
    char *end;

    if (!at)
        return NULL;
    uint64_t whole = strtoull(at + strlen(before), &end, 10), part = 0;
    if (*end == '.')
        for (int i = 1; i <= 3; i++)
            part = part * 10 + (end[i] >= '0' && end[i] <= '9' ? (uint64_t)(end[i] - '0') : 0);
    *nanoseconds = whole * 1000 + part;
    return end;
}

/* A line of the trace that is the range of a task. */
static void read_range(struct chart *chart, const char *line)
{
    uint32_t process, thread;
    char name[32];
    uint64_t begin, took;

    if (sscanf(line,
               "{\"ph\":\"X\",\"pid\":%" SCNu32 ",\"tid\":%" SCNu32
               ",\"cat\":\"range\",\"name\":\"%31[a-z]\"",
               &process, &thread, name) != 3 ||
        find_name(name) < 0 || chart->count == BARS_MOST)
        return;
    if (!read_time(read_time(line, "\"ts\":", &begin), "\"dur\":", &took))
        return;
    chart->begin                = chart->count == 0 || begin < chart->begin ? begin : chart->begin;
    chart->end                  = begin + took > chart->end ? begin + took : chart->end;
    chart->bars[chart->count++] = (struct bar){begin, begin + took, lane_of(chart, thread), find_name(name)};
}

static int32_t read_trace(struct trm_profile *profile, struct chart *chart)
{
    struct text text = {NULL, 0, 0};
    int32_t status   = trm_profile_write(profile, TRM_PROFILE_TRACE, append, &text);
    char *rest;

    if (status == TRM_OK && text.bytes)
        for (const char *line = strtok_r(text.bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            read_range(chart, line);
    free(text.bytes);
    return status;
}

/* ---- running ------------------------------------------------------------------------------------------- */

static int32_t run_profiled(struct bench *bench, struct trm_stream_pool *pool, struct chart *chart)
{
    const struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = 1};
    struct trm_profile *profile        = NULL;
    int32_t status                     = trm_profile_begin(bench->device, &desc, &profile);

    if (status == TRM_OK)
        status = bench_mix_run_named(bench, pool);
    if (status == TRM_OK)
        status = trm_profile_end(profile);
    if (status == TRM_OK)
        status = read_trace(profile, chart);
    if (profile)
        trm_profile_destroy(profile);
    return status;
}

struct contestant {
    const char *title;
    int32_t strategy;
    uint32_t most; /* streams; 0: the pool's choice */
};

static const struct contestant contestants[CHARTS] = {
    {"one stream", TRM_STREAM_ROUND_ROBIN, 1},
    {"streams in turn (round-robin)", TRM_STREAM_ROUND_ROBIN, 0},
    {"the pool's choice (auto)", TRM_STREAM_AUTO, 0},
};

static int32_t make_pool(struct bench *bench, const struct contestant *contestant,
                         struct trm_stream_pool **pool)
{
    const struct trm_stream_pool_desc desc = {
        .struct_size = sizeof(desc), .strategy = contestant->strategy, .most = contestant->most};
    int32_t status = trm_stream_pool_create(bench->device, &desc, pool);

    for (int i = 0; i < LEARNING && status == TRM_OK; i++)
        status = bench_mix_run_named(bench, *pool);
    return status;
}

/* Keeps the shortest of several runs, since other work on the machine makes them longer only. */
static int32_t run_round(struct bench *bench, struct trm_stream_pool *const *pools, struct chart *charts,
                         struct chart *scratch)
{
    int32_t status = TRM_OK;

    for (int i = 0; i < CHARTS && status == TRM_OK; i++) {
        *scratch = (struct chart){.title = contestants[i].title};
        status   = run_profiled(bench, pools[i], scratch);
        if (status == TRM_OK && scratch->count > 0 &&
            (charts[i].count == 0 || length_of(scratch) < length_of(&charts[i])))
            charts[i] = *scratch;
    }
    return status;
}

static int32_t run_all(struct bench *bench, struct chart *charts)
{
    struct trm_stream_pool *pools[CHARTS] = {NULL};
    struct chart *scratch                 = output_allocate(1, sizeof(*scratch));
    int32_t status                        = TRM_OK;

    for (int i = 0; i < CHARTS && status == TRM_OK; i++)
        status = make_pool(bench, &contestants[i], &pools[i]);
    for (int round = 0; round < ROUNDS && status == TRM_OK; round++)
        status = run_round(bench, pools, charts, scratch);
    for (int i = 0; i < CHARTS; i++)
        trm_stream_pool_destroy(pools[i]);
    free(scratch);
    return status;
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static const char *const colours[BENCH_MIX_NAMES] = {"#6fcbd0", "#f6a26b", "#7cb5ec", "#7ed0a4"};

/* In tenths of pixels. */
static uint64_t scaled(uint64_t nanoseconds, uint64_t longest)
{
    return nanoseconds * 10 * (WIDTH - LEFT - RIGHT) / longest;
}

static void draw_bar(FILE *file, const struct chart *chart, const struct bar *bar, uint32_t top,
                     uint64_t longest)
{
    uint64_t x     = LEFT * 10 + scaled(bar->begin - chart->begin, longest);
    uint64_t width = scaled(bar->end - bar->begin, longest);

    if (width < 5)
        width = 5;
    fprintf(file,
            "<rect x=\"%" PRIu64 ".%" PRIu64 "\" y=\"%" PRIu32 "\" width=\"%" PRIu64 ".%" PRIu64
            "\" height=\"%d\" fill=\"%s\"><title>%s, %" PRIu64 ".%" PRIu64 " us</title></rect>\n",
            x / 10, x % 10, top + bar->lane * LANE, width / 10, width % 10, LANE - 2, colours[bar->name],
            bench_mix_names[bar->name], (bar->end - bar->begin) / 1000, (bar->end - bar->begin) / 100 % 10);
}

static uint32_t draw_chart(FILE *file, const struct chart *chart, uint32_t top, uint64_t longest,
                           uint64_t first)
{
    uint64_t took = length_of(chart), gain = took > 0 ? first * 100 / took : 0;

    fprintf(file,
            "<text class=\"title\" x=\"%d\" y=\"%" PRIu32 "\">%s: %" PRIu64 ".%" PRIu64
            " us</text><text x=\"%d\" y=\"%" PRIu32 "\" text-anchor=\"end\">%" PRIu64 ".%02" PRIu64
            " times as fast as one stream</text>\n",
            MARGIN, top + 20, chart->title, took / 1000, took / 100 % 10, WIDTH - RIGHT, top + 20, gain / 100,
            gain % 100);
    top += TITLE;
    for (uint32_t lane = 0; lane < chart->lanes; lane++)
        fprintf(file,
                "<text x=\"%d\" y=\"%" PRIu32 "\">stream %" PRIu32
                "</text><rect class=\"lane\" x=\"%d\" y=\"%" PRIu32 "\" width=\"%d\" height=\"%d\"/>\n",
                MARGIN, top + lane * LANE + 12, lane + 1, LEFT, top + lane * LANE, WIDTH - LEFT - RIGHT,
                LANE - 2);
    for (uint32_t i = 0; i < chart->count; i++)
        draw_bar(file, chart, &chart->bars[i], top, longest);
    return top + chart->lanes * LANE + MARGIN;
}

static void draw_head(FILE *file, const struct bench *bench, uint32_t height)
{
    fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %" PRIu32
        "\" width=\"%d\" height=\"%" PRIu32
        "\">\n<style>text{font:12px sans-serif;fill:#222}.title{font:bold 15px sans-serif}.lane{fill:#f1f1f1}"
        "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text class=\"title\" x=\"%d\" "
        "y=\"28\">The same 60 tasks on %s (",
        WIDTH, height, WIDTH, height, MARGIN, bench->summary.id);
    for (const char *at = bench->summary.name; *at; at++)
        fputs(*at == '&' ? "&amp;" : *at == '<' ? "&lt;" : (const char[]){*at, '\0'}, file);
    fputs(")</text>\n", file);
    for (int i = 0; i < BENCH_MIX_NAMES; i++)
        fprintf(file,
                "<rect x=\"%d\" y=\"44\" width=\"14\" height=\"14\" fill=\"%s\"/><text x=\"%d\" "
                "y=\"55\">%s</text>\n",
                MARGIN + i * 100, colours[i], MARGIN + i * 100 + 20, bench_mix_names[i]);
}

static void draw(FILE *file, const struct bench *bench, const struct chart *charts, uint32_t count)
{
    uint64_t longest = 1;
    uint32_t height  = HEAD;

    for (uint32_t i = 0; i < count; i++) {
        longest = length_of(&charts[i]) > longest ? length_of(&charts[i]) : longest;
        height += TITLE + charts[i].lanes * LANE + MARGIN;
    }
    draw_head(file, bench, height);
    uint32_t top = HEAD;
    for (uint32_t i = 0; i < count; i++)
        top = draw_chart(file, &charts[i], top, longest, length_of(&charts[0]));
    fputs("</svg>\n", file);
}

static int write_picture(const struct bench *bench, const char *path, const struct chart *charts,
                         uint32_t count)
{
    FILE *file = fopen(path, "w");

    if (file) {
        draw(file, bench, charts, count);
        int failed = ferror(file);
        if (fclose(file) == 0 && !failed)
            return COMMAND_OK;
    }
    fprintf(stderr, "trireme: %s: %s\n", path, strerror(errno));
    return COMMAND_FAILED;
}

int bench_picture(struct bench *bench, const char *path)
{
    static const struct bench_case test = {.argument = TRM_STREAM_ROUND_ROBIN};
    struct chart *charts                = output_allocate(CHARTS, sizeof(*charts));
    int32_t status                      = bench_mix_setup(bench, &test);

    if (status == TRM_OK)
        status = run_all(bench, charts);
    bench_mix_end(bench->mix);
    bench->mix     = NULL;
    bool are_empty = false;
    for (int i = 0; i < CHARTS; i++)
        are_empty |= charts[i].count == 0;
    int result = COMMAND_FAILED;
    if (bench->complaint)
        fprintf(stderr, "trireme: %s\n", bench->complaint);
    else if (status == TRM_OK && are_empty)
        fputs("trireme: the device tells no times, so there is nothing to draw\n", stderr);
    else
        result = status == TRM_OK ? write_picture(bench, path, charts, CHARTS)
                                  : command_failed("the picture cannot be drawn");
    free(charts);
    return result;
}
