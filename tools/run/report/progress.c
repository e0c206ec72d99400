/* Trireme: the progress of a run on a terminal.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/report/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <trireme/status.h>
#include <unistd.h>

enum {
    BAR          = 24,
    BAR_LEAST    = 4,
    DRAW_EVERY   = 100000000, /* nanoseconds */
    LINE_LENGTH  = 400,
    MOST_COLUMNS = 100,
};

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static unsigned columns_of_terminal(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
}

void progress_begin(struct progress *progress, const char *unit, uint64_t total, bool quiet)
{
    const char *refusal  = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    memset(progress, 0, sizeof(*progress));
    progress->shown  = !quiet && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    progress->colour = !(refusal && *refusal);
    progress->unit   = unit;
    progress->total  = total;
    progress->began  = now();
    progress->next   = progress->began + DRAW_EVERY;
}

/* "0:07", "1:02:03" */
static void print_time(char *text, size_t capacity, double seconds)
{
    uint64_t whole = (uint64_t)(seconds + 0.5);

    if (whole >= 3600)
        snprintf(text, capacity, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60,
                 whole % 60);
    else
        snprintf(text, capacity, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
}

static void draw_bar(char *bar, size_t capacity, double part, unsigned width)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    size_t length                      = 0;

    for (unsigned i = 0; i < width; i++) {
        double here = part * width - i;
        int eighth  = here >= 1 ? 8 : here <= 0 ? 0 : (int)(here * 8);

        length += (size_t)snprintf(bar + length, capacity - length, "%s", eighths[eighth]);
    }
}

/* Truncate UTF-8 text to `columns` characters. */
static void cut(char *text, unsigned columns)
{
    unsigned column = 0;

    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) != 0x80 && column++ == columns) {
            *text = '\0';
            return;
        }
    }
}

void progress_line(char *text, size_t capacity, const struct progress *progress, uint64_t done,
                   double seconds, const char *critical, unsigned columns)
{
    double rate           = seconds > 0 ? (double)done / seconds : 0;
    char bar[BAR * 3 + 1] = "", left[32], tail[64] = "", words[LINE_LENGTH];

    columns = columns > 1 ? columns - 1 : 1;
    if (critical)
        snprintf(tail, sizeof(tail), "  slowest: %s", critical);
    if (progress->total > 0) {
        double part = done >= progress->total ? 1 : (double)done / (double)progress->total;

        print_time(left, sizeof(left), rate > 0 ? (double)(progress->total - done) / rate : 0);
        if (done >= progress->total)
            snprintf(left, sizeof(left), "0:00");
        /* The text is ASCII: a byte is a column. */
        size_t length =
            (size_t)snprintf(words, sizeof(words), "%3.0f %%  %" PRIu64 "/%" PRIu64 "  %.*f %s/s  %s left%s",
                             100 * part, done, progress->total, rate < 10, rate, progress->unit, left, tail);
        size_t room = columns > length + 3 ? columns - length - 3 : 0; /* two brackets and a space */
        if (room >= BAR_LEAST)
            draw_bar(bar, sizeof(bar), part, room < BAR ? (unsigned)room : BAR);
        if (room >= BAR_LEAST)
            snprintf(text, capacity, "▕%s▏ %s", bar, words);
        else
            snprintf(text, capacity, "%s", words);
    } else {
        snprintf(text, capacity, "%" PRIu64 " %s  %.*f %s/s%s", done, progress->unit, rate < 10, rate,
                 progress->unit, tail);
    }
    cut(text, columns);
}

static const char *find_critical(struct trm_pipeline *pipeline)
{
    struct trm_report report = {.struct_size = sizeof(report)};

    if (!pipeline || trm_pipeline_report(pipeline, &report) != TRM_OK || report.critical < 0)
        return NULL;
    return trm_stage_name(report.critical);
}

void progress_update(struct progress *progress, uint64_t done, struct trm_pipeline *pipeline)
{
    uint64_t time = now();
    char text[LINE_LENGTH];

    if (!progress->shown || time < progress->next)
        return;
    progress->next  = time + DRAW_EVERY;
    progress->drawn = true;
    progress_line(text, sizeof(text), progress, done, (double)(time - progress->began) * 1e-9,
                  find_critical(pipeline), columns_of_terminal());
    fprintf(stderr, "\r%s%s%s\033[K", progress->colour ? "\033[36m" : "", text,
            progress->colour ? "\033[0m" : "");
    fflush(stderr);
}

void progress_end(struct progress *progress, uint64_t done)
{
    double seconds = (double)(now() - progress->began) * 1e-9;

    if (!progress->shown)
        return;
    fprintf(stderr, "%s%" PRIu64 " %s in %.*f s, %.*f %s/s\n", progress->drawn ? "\r\033[K" : "", done,
            progress->unit, seconds < 10 ? 2 : 0, seconds,
            seconds > 0 && (double)done / seconds<10, seconds> 0 ? (double)done / seconds : 0,
            progress->unit);
    progress->drawn = false;
}
