/* Reads Trace Event JSON event by event, and sums it up by stages.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_REPORT_TRACE_READER_H
#define TESTS_UNIT_PIPELINE_REPORT_TRACE_READER_H

#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/report.h>

enum {
    EVENTS_MOST = 20000
};

/* The parts of an event that tests read. */
struct event {
    char phase;
    uint64_t process, thread, time, duration, id;
    char name[64], category[32], arguments[256];
    int32_t binds_enclosing;
};

static struct event *events;
static uint32_t event_count;

/* ---- reading -------------------------------------------------------------------------------- */

/* The value of a member of this line's outermost object; NULL: none. */
static inline const char *member(const char *line, const char *key)
{
    char wanted[64];
    int32_t depth = 0, quoted = 0;
    size_t length = (size_t)snprintf(wanted, sizeof(wanted), "\"%s\": ", key);

    for (const char *c = line; *c != '\0' && *c != '\n'; c++) {
        if (!quoted && depth == 1 && strncmp(c, wanted, length) == 0)
            return c + length;
        if (*c == '"' && c[-1] != '\\')
            quoted = !quoted;
        if (!quoted)
            depth += (*c == '{') - (*c == '}');
    }
    return NULL;
}

/* Microseconds with a fraction, exactly. */
static inline uint64_t read_time(const char *text)
{
    uint64_t time = 0, decimals = 0;

    ck_assert_msg(*text >= '0' && *text <= '9', "no time, or a negative one: %.20s", text);
    for (; *text >= '0' && *text <= '9'; text++)
        time = time * 10 + (uint64_t)(*text - '0');
    if (*text == '.') {
        for (text++; *text >= '0' && *text <= '9'; text++, decimals++)
            time = time * 10 + (uint64_t)(*text - '0');
    }
    ck_assert_uint_le(decimals, 3);
    for (; decimals < 3; decimals++)
        time *= 10;
    return time;
}

static inline void read_string(const char *line, const char *key, char *to, size_t capacity)
{
    const char *text = member(line, key);
    size_t length;

    to[0] = '\0';
    if (text == NULL)
        return;
    ck_assert_int_eq(*text, '"');
    length = strcspn(text + 1, "\"");
    ck_assert_uint_lt(length, capacity);
    memcpy(to, text + 1, length);
    to[length] = '\0';
}

static inline uint64_t read_count(const char *line, const char *key)
{
    const char *text = member(line, key);

    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static inline void read_event(const char *line)
{
    struct event *event   = &events[event_count++];
    const char *arguments = member(line, "args");
    char phase[8], bind[8];

    ck_assert_uint_lt(event_count, EVENTS_MOST);
    memset(event, 0, sizeof(*event));
    read_string(line, "ph", phase, sizeof(phase));
    read_string(line, "name", event->name, sizeof(event->name));
    read_string(line, "cat", event->category, sizeof(event->category));
    read_string(line, "bp", bind, sizeof(bind));
    ck_assert_uint_eq(strlen(phase), 1);
    event->phase           = phase[0];
    event->binds_enclosing = strcmp(bind, "e") == 0;
    event->process         = read_count(line, "pid");
    event->thread          = read_count(line, "tid");
    event->id              = read_count(line, "id");
    if (arguments != NULL)
        snprintf(event->arguments, sizeof(event->arguments), "%.*s", (int)strcspn(arguments, "\n"),
                 arguments);
    if (event->phase != 'M') {
        ck_assert_ptr_nonnull(member(line, "ts"));
        event->time = read_time(member(line, "ts"));
    }
    if (event->phase == 'X') {
        ck_assert_ptr_nonnull(member(line, "dur"));
        event->duration = read_time(member(line, "dur"));
    }
}

static inline void read_trace(const char *text)
{
    static const char begin[] = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";

    event_count = 0;
    ck_assert_int_eq(strncmp(text, begin, strlen(begin)), 0);
    for (const char *line = text + strlen(begin); *line == '{'; line = strchr(line, '\n') + 1)
        read_event(line);
    ck_assert_ptr_nonnull(strstr(text, "\n], \"otherData\": {"));
}

/* ---- comparing a report with its trace ------------------------------------------------------ */

static inline uint64_t argument(const struct event *event, const char *key)
{
    const char *text = strstr(event->arguments, key);

    return text == NULL ? 0 : strtoull(text + strlen(key), NULL, 10);
}

/* Events are sorted by begin, so the union grows only at its end. */
static inline struct trm_stage_report sum_stage(const char *name)
{
    struct trm_stage_report sum = {0};
    uint64_t until              = 0;

    for (uint32_t i = 0; i < event_count; i++) {
        const struct event *event = &events[i];
        uint64_t begin            = event->time > until ? event->time : until;

        if (event->phase != 'X' || strcmp(event->category, name) != 0)
            continue;
        sum.tokens++;
        sum.bytes += argument(event, "\"bytes\": ");
        sum.mean_ns += event->duration;
        if (event->time + event->duration > begin) {
            sum.busy_ns += event->time + event->duration - begin;
            until = event->time + event->duration;
        }
    }
    return sum;
}

static inline uint64_t sum_launches(const char *name)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < event_count; i++)
        if (events[i].phase == 'X' && strcmp(events[i].category, "launch") == 0 &&
            strcmp(events[i].name, name) == 0)
            sum += events[i].duration;
    return sum;
}

static inline void check_sums(const struct trm_report *report)
{
    for (int32_t i = 0; i < TRM_STAGES; i++) {
        struct trm_stage_report sum = sum_stage(trm_stage_name(i));

        ck_assert_uint_eq(sum.tokens, report->stages[i].tokens);
        ck_assert_uint_eq(sum.bytes, report->stages[i].bytes);
        ck_assert_uint_eq(sum.busy_ns, report->stages[i].busy_ns);
        if (sum.tokens > 0)
            ck_assert_uint_eq(sum.mean_ns / sum.tokens, report->stages[i].mean_ns);
    }
    for (uint32_t i = 0; i < report->launch_count; i++)
        ck_assert_uint_eq(sum_launches(report->launches[i].name), report->launches[i].busy_ns);
}

#endif
