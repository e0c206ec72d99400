/* Traced tokens as slices of stages.
 * SPDX-License-Identifier: MIT
 */
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

static void collect_stage(struct pipeline_trace *trace, uint32_t stage)
{
    struct pipeline_slice *slices = trace->slices[stage];
    uint32_t count                = 0;

    for (uint32_t i = 0; i < trace->token_count; i++) {
        const struct pipeline_token_times *times = pipeline_measure_traced(trace->measure, i);
        uint64_t begin = times->begin[stage], end = times->end[stage];

        if (begin == 0 || end == 0)
            continue;
        end             = end > begin ? end : begin;
        slices[count++] = (struct pipeline_slice){begin, end, i, 0};
        if (trace->first == 0 || begin < trace->first)
            trace->first = begin;
        if (end > trace->last)
            trace->last = end;
    }
    qsort(slices, count, sizeof(slices[0]), compare_slices);
    trace->slice_count[stage] = count;
    trace->lanes[stage]       = assign_lanes(slices, count);
}

int32_t pipeline_trace_init(struct core_context *context, const struct pipeline_measure *measure,
                            const struct trm_report *report, struct pipeline_trace *trace)
{
    uint32_t count = 0;

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
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        trace->slices[i] = trace->memory + (size_t)count * i;
        collect_stage(trace, i);
    }
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
