/* Trace Event JSON, as chrome://tracing and ui.perfetto.dev read it.
 *
 * The importers demand: every event has a process and a thread that are not 0; slices of one thread nest or
 * do not touch; a flow event belongs to the slice opened last on its thread, so it follows that slice
 * directly; events of one flow have the same name, category and number; times are microseconds with
 * nanosecond digits. Events are sorted.
 *
 * Format: "Trace Event Format", Google, 2016; the reader is Perfetto's src/trace_processor/importers/json.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/object/object.h"
#include "pipeline/report/report_internal.h"
#include "pipeline/report/trace.h"

enum {
    PROCESS     = 1,
    TRACK_LANES = 100, /* thread numbers: track × this + lane, from 1 */
    BRANCHES    = 4,   /* of a token, at once; the engine has no more */
    BRANCH      = 10000
};

/* The order of events with the same time and slice. */
enum kind {
    SLICE   = 0,
    FLOW    = 1,
    LAUNCH  = 2,
    COUNTER = 3,
};

struct event {
    uint64_t time;
    enum kind kind;
    uint32_t track;
    uint32_t slice;  /* of the track; COUNTER: unused */
    uint32_t number; /* LAUNCH: its number */
    uint32_t branch; /* LAUNCH: 0 is inside the slice, others have threads of their own */
    int32_t step;    /* COUNTER: the change; FLOW: the letter */
    uint64_t end;
};

struct events {
    const struct pipeline_trace *trace;
    struct pipeline_writer *writer;
    struct event *all;
    size_t count, capacity;
    uint32_t written;
    uint8_t branches[PIPELINE_TRACKS_MOST][TRACK_LANES]; /* most of any token, by track and lane */
};

/* ---- collecting events ---------------------------------------------------------------------- */

static struct event *add_event(struct events *events, uint64_t time, enum kind kind, uint32_t track,
                               uint32_t slice)
{
    struct event *event = &events->all[events->count++];

    *event = (struct event){.time = time, .kind = kind, .track = track, .slice = slice};
    return event;
}

static void note_branch(struct events *events, uint32_t track, uint32_t lane, uint32_t branch)
{
    uint8_t *branches = &events->branches[track][lane];

    if (branch + 1 > *branches)
        *branches = (uint8_t)(branch + 1);
}

static void add_launches(struct events *events, uint32_t track, uint32_t slice)
{
    const struct pipeline_slice *compute     = &events->trace->tracks[track].slices[slice];
    const struct pipeline_token_times *times = pipeline_trace_token(events->trace, compute);
    uint64_t free_at[BRANCHES]               = {0};

    for (uint32_t i = 0; i < times->launch_count; i++) {
        uint64_t end    = times->launch_end[i] < compute->end ? times->launch_end[i] : compute->end;
        uint64_t begin  = pipeline_times_launch_begin(times, i);
        uint32_t branch = 0;

        if (end <= begin)
            continue;
        while (branch + 1 < BRANCHES && free_at[branch] > begin)
            branch++;
        struct event *event = add_event(events, begin, LAUNCH, track, slice);
        event->number       = i;
        event->end          = end;
        event->branch       = branch;
        free_at[branch]     = end;
        note_branch(events, track, compute->lane, branch);
    }
}

/* The letter of a flow event: begin, step, end; 0 for a token that was in only one stage. */
static int32_t flow_letter(const struct pipeline_token_times *times, uint32_t stage)
{
    int32_t before = 0, after = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        bool is_there = times->begin[i] != 0 && times->end[i] != 0;

        before |= is_there && i < stage;
        after |= is_there && i > stage;
    }
    if (!before && !after)
        return 0;
    return !before ? 's' : after ? 't' : 'f';
}

static void add_slices(struct events *events, uint32_t number)
{
    const struct pipeline_track *track = &events->trace->tracks[number];

    for (uint32_t i = 0; i < track->slice_count; i++) {
        const struct pipeline_slice *slice = &track->slices[i];
        int32_t letter = flow_letter(pipeline_trace_token(events->trace, slice), track->stage);

        add_event(events, slice->begin, SLICE, number, i)->end = slice->end;
        if (letter != 0)
            add_event(events, slice->begin, FLOW, number, i)->step = letter;
        if (track->stage == TRM_STAGE_COMPUTE)
            add_launches(events, number, i);
    }
}

/* A token holds its slot from its first begin to its last end. */
static void add_counters(struct events *events)
{
    for (uint32_t i = 0; i < events->trace->token_count; i++) {
        const struct pipeline_token_times *times = pipeline_measure_traced(events->trace->measure, i);
        uint64_t first = 0, last = 0;

        for (uint32_t s = 0; s < TRM_STAGES; s++) {
            if (times->begin[s] == 0 || times->end[s] == 0)
                continue;
            first = first == 0 || times->begin[s] < first ? times->begin[s] : first;
            last  = times->end[s] > last ? times->end[s] : last;
        }
        if (first == 0 || last < first)
            continue;
        add_event(events, first, COUNTER, 0, 0)->step = 1;
        add_event(events, last, COUNTER, 0, 0)->step  = -1;
    }
}

static int compare_events(const void *a, const void *b)
{
    const struct event *first = a, *second = b;

    if (first->time != second->time)
        return first->time < second->time ? -1 : 1;
    if ((first->kind == COUNTER) != (second->kind == COUNTER))
        return first->kind == COUNTER ? 1 : -1;
    if (first->kind == COUNTER)
        return first->step - second->step;
    if (first->track != second->track)
        return first->track < second->track ? -1 : 1;
    if (first->slice != second->slice)
        return first->slice < second->slice ? -1 : 1;
    return (int)first->kind - (int)second->kind;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void begin_event(struct events *events, const char *phase, uint32_t thread)
{
    pipeline_write(events->writer, events->written++ == 0 ? "\n" : ",\n");
    pipeline_writef(events->writer, "{\"ph\": \"%s\", \"pid\": %d, \"tid\": %u", phase, PROCESS, thread);
}

static void write_time(struct events *events, const char *key, uint64_t nanoseconds)
{
    pipeline_writef(events->writer, ", \"%s\": ", key);
    pipeline_write_scaled(events->writer, nanoseconds, 3);
}

static uint32_t thread_of(uint32_t track, uint32_t lane)
{
    return TRACK_LANES * (track + 1) + lane + 1;
}

static void write_thread(struct events *events, uint32_t thread, const char *name, uint32_t place)
{
    begin_event(events, "M", thread);
    pipeline_write(events->writer, ", \"name\": \"thread_name\", \"args\": {\"name\": ");
    pipeline_write_json(events->writer, name);
    pipeline_write(events->writer, "}}");
    begin_event(events, "M", thread);
    pipeline_writef(events->writer, ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %u}}",
                    place);
}

static void write_track(struct events *events, uint32_t track, uint32_t lane)
{
    char name[96], branch[128];

    snprintf(name, sizeof(name), lane > 0 ? "%s (%u)" : "%s", events->trace->tracks[track].name, lane + 1);
    write_thread(events, thread_of(track, lane), name, BRANCHES * thread_of(track, lane));
    for (uint32_t i = 1; i < events->branches[track][lane]; i++) {
        snprintf(branch, sizeof(branch), "%s, branch %u", name, i + 1);
        write_thread(events, BRANCH * i + thread_of(track, lane), branch,
                     BRANCHES * thread_of(track, lane) + i);
    }
}

static void write_tracks(struct events *events)
{
    const struct trm_report *report = events->trace->report;

    begin_event(events, "M", PROCESS);
    pipeline_write(events->writer, ", \"name\": \"process_name\", \"args\": {\"name\": ");
    pipeline_write_json(events->writer, report->name[0] != '\0' ? report->name : "pipeline");
    pipeline_write(events->writer, "}}");
    begin_event(events, "M", PROCESS);
    pipeline_write(events->writer, ", \"name\": \"process_labels\", \"args\": {\"labels\": ");
    pipeline_write_json(events->writer, report->device);
    pipeline_write(events->writer, "}}");
    for (uint32_t i = 0; i < events->trace->track_count; i++) {
        const struct pipeline_track *track = &events->trace->tracks[i];

        for (uint32_t lane = 0; track->slice_count > 0 && lane < track->lanes; lane++)
            write_track(events, i, lane);
    }
}

static void write_slice(struct events *events, const struct event *event)
{
    const struct pipeline_track *track       = &events->trace->tracks[event->track];
    const struct pipeline_slice *slice       = &track->slices[event->slice];
    const struct pipeline_token_times *times = pipeline_trace_token(events->trace, slice);
    char name[64];

    begin_event(events, "X", thread_of(event->track, slice->lane));
    write_time(events, "ts", event->time - events->trace->first);
    write_time(events, "dur", event->end - event->time);
    snprintf(name, sizeof(name), "%s %" PRIu64, pipeline_report_token(events->trace->report), times->index);
    pipeline_write(events->writer, ", \"name\": ");
    pipeline_write_json(events->writer, name);
    pipeline_writef(events->writer, ", \"cat\": \"%s\", \"args\": {\"token\": %" PRIu64 ", \"slot\": %u",
                    trm_stage_name((int32_t)track->stage), times->index, times->slot);
    if (track->device >= 0) {
        pipeline_write(events->writer, ", \"device\": ");
        pipeline_write_json(events->writer, events->trace->report->devices[track->device].device);
    }
    if (track->stage == TRM_STAGE_UPLOAD || track->stage == TRM_STAGE_DOWNLOAD)
        pipeline_writef(events->writer, ", \"bytes\": %" PRIu64,
                        track->stage == TRM_STAGE_UPLOAD ? times->bytes_up : times->bytes_down);
    if (times->status != TRM_OK)
        pipeline_writef(events->writer, ", \"status\": \"%s\"", pipeline_trace_status(times->status));
    pipeline_write(events->writer, "}}");
}

static void write_launch(struct events *events, const struct event *event)
{
    const struct pipeline_slice *slice = &events->trace->tracks[event->track].slices[event->slice];
    const char *name                   = pipeline_measure_launch_name(events->trace->measure, event->number);

    begin_event(events, "X", BRANCH * event->branch + thread_of(event->track, slice->lane));
    write_time(events, "ts", event->time - events->trace->first);
    write_time(events, "dur", event->end - event->time);
    pipeline_write(events->writer, ", \"cat\": \"launch\", \"name\": ");
    pipeline_write_json(events->writer, name != NULL ? name : "launch");
    pipeline_write(events->writer, "}");
}

static void write_flow(struct events *events, const struct event *event)
{
    const struct pipeline_slice *slice = &events->trace->tracks[event->track].slices[event->slice];
    const char letter[2]               = {(char)event->step, '\0'};

    begin_event(events, letter, thread_of(event->track, slice->lane));
    write_time(events, "ts", event->time - events->trace->first);
    pipeline_writef(events->writer,
                    ", \"name\": \"token\", \"cat\": \"flow\", \"id\": %" PRIu64 ", \"bp\": \"e\"}",
                    pipeline_trace_token(events->trace, slice)->index + 1);
}

static void write_events(struct events *events)
{
    int32_t in_use = 0;

    for (size_t i = 0; i < events->count; i++) {
        const struct event *event = &events->all[i];

        switch (event->kind) {
        case SLICE:
            write_slice(events, event);
            break;
        case FLOW:
            write_flow(events, event);
            break;
        case LAUNCH:
            write_launch(events, event);
            break;
        case COUNTER:
            in_use += event->step;
            begin_event(events, "C", PROCESS);
            write_time(events, "ts", event->time - events->trace->first);
            pipeline_writef(events->writer, ", \"name\": \"slots\", \"args\": {\"in use\": %d}}", in_use);
            break;
        }
    }
}

static void write_facts(struct events *events)
{
    const struct trm_report *report = events->trace->report;

    pipeline_write(events->writer, "\n], \"otherData\": {\"pipeline\": ");
    pipeline_write_json(events->writer, report->name);
    pipeline_write(events->writer, ", \"backend\": ");
    pipeline_write_json(events->writer, report->backend);
    pipeline_write(events->writer, ", \"device\": ");
    pipeline_write_json(events->writer, report->device);
    pipeline_writef(events->writer, ", \"strategy\": \"%s\", \"depth\": \"%u\", \"advice\": ",
                    trm_strategy_name(report->strategy), report->depth);
    pipeline_write_json(events->writer, report->advice);
    pipeline_write(events->writer, "}}\n");
}

int32_t pipeline_trace_events(const struct pipeline_trace *trace, struct pipeline_writer *writer)
{
    struct events events = {.trace = trace, .writer = writer};

    for (uint32_t i = 0; i < trace->token_count; i++)
        events.capacity += 2 * TRM_STAGES + 2 + pipeline_measure_traced(trace->measure, i)->launch_count;
    events.capacity += events.capacity == 0;
    events.all = core_allocate(trace->context, events.capacity * sizeof(events.all[0]));
    if (events.all == NULL)
        return base_fail_memory("sorting the events of a trace");
    for (uint32_t i = 0; i < trace->track_count; i++)
        add_slices(&events, i);
    add_counters(&events);
    qsort(events.all, events.count, sizeof(events.all[0]), compare_events);

    pipeline_write(writer, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    write_tracks(&events);
    write_events(&events);
    write_facts(&events);
    core_free(trace->context, events.all, events.capacity * sizeof(events.all[0]));
    return TRM_OK;
}
