/* Traced tokens as slices of tracks.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/object/object.h"
#include "pipeline/report/trace.h"

enum {
    LANES_MOST = 64
};

static int compare_slices(const void *a, const void *b)
{
    const struct pipeline_slice *first = a, *second = b;

    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    if (first->end != second->end)
        return first->end < second->end ? -1 : 1;
    return first->token < second->token ? -1 : first->token > second->token;
}

/* Puts each slice in the first free lane. There are never more lanes than slots. */
static uint32_t assign_lanes(struct pipeline_slice *slices, uint32_t count)
{
    uint64_t free_at[LANES_MOST] = {0};
    uint32_t lanes               = 1;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t lane = 0;

        while (lane + 1 < LANES_MOST && free_at[lane] > slices[i].begin)
            lane++;
        free_at[lane]  = slices[i].end;
        slices[i].lane = lane;
        lanes          = lane + 1 > lanes ? lane + 1 : lanes;
    }
    return lanes;
}

/* Fills a track with its slices, from `slices` on; returns the place behind them. */
static struct pipeline_slice *collect_track(struct pipeline_trace *trace, struct pipeline_track *track,
                                            struct pipeline_slice *slices)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < trace->token_count; i++) {
        const struct pipeline_token_times *times = pipeline_measure_traced(trace->measure, i);
        uint64_t begin = times->begin[track->stage], end = times->end[track->stage];

        if (begin == 0 || end == 0 || (track->device >= 0 && times->device != (uint32_t)track->device))
            continue;
        end             = end > begin ? end : begin;
        slices[count++] = (struct pipeline_slice){begin, end, i, 0};
        if (trace->first == 0 || begin < trace->first)
            trace->first = begin;
        if (end > trace->last)
            trace->last = end;
    }
    qsort(slices, count, sizeof(slices[0]), compare_slices);
    track->slices      = slices;
    track->slice_count = count;
    track->lanes       = assign_lanes(slices, count);
    return slices + count;
}

/* device: -1 for all devices. */
static void add_track(struct pipeline_trace *trace, uint32_t stage, int32_t device)
{
    struct pipeline_track *track = &trace->tracks[trace->track_count++];
    const char *name             = trm_stage_name((int32_t)stage);

    track->stage  = stage;
    track->device = device;
    if (device < 0)
        snprintf(track->name, sizeof(track->name), "%s", name);
    else
        snprintf(track->name, sizeof(track->name), "%s %s", trace->report->devices[device].device, name);
}

static void add_tracks(struct pipeline_trace *trace)
{
    uint32_t devices = trace->report->device_count;

    devices = devices < TRM_REPORT_DEVICES ? devices : TRM_REPORT_DEVICES;
    add_track(trace, TRM_STAGE_LOAD, -1);
    for (uint32_t stage = TRM_STAGE_UPLOAD; devices == 0 && stage <= TRM_STAGE_DOWNLOAD; stage++)
        add_track(trace, stage, -1);
    for (uint32_t device = 0; device < devices; device++)
        for (uint32_t stage = TRM_STAGE_UPLOAD; stage <= TRM_STAGE_DOWNLOAD; stage++)
            add_track(trace, stage, (int32_t)device);
    add_track(trace, TRM_STAGE_SINK, -1);
}

int32_t pipeline_trace_init(struct core_context *context, const struct pipeline_measure *measure,
                            const struct trm_report *report, struct pipeline_trace *trace)
{
    uint32_t count = 0;
    struct pipeline_slice *next;

    while (pipeline_measure_traced(measure, count) != NULL)
        count++;
    memset(trace, 0, sizeof(*trace));
    trace->context     = context;
    trace->measure     = measure;
    trace->report      = report;
    trace->token_count = count;
    trace->size        = ((size_t)count * TRM_STAGES + 1) * sizeof(struct pipeline_slice);
    trace->memory      = core_allocate(context, trace->size);
    if (trace->memory == NULL)
        return base_fail_memory("sorting the tokens of a trace");
    add_tracks(trace);
    next = trace->memory;
    for (uint32_t i = 0; i < trace->track_count; i++)
        next = collect_track(trace, &trace->tracks[i], next);
    return TRM_OK;
}

void pipeline_trace_fini(struct pipeline_trace *trace)
{
    core_free(trace->context, trace->memory, trace->size);
}

const struct pipeline_token_times *pipeline_trace_token(const struct pipeline_trace *trace,
                                                        const struct pipeline_slice *slice)
{
    return pipeline_measure_traced(trace->measure, slice->token);
}
