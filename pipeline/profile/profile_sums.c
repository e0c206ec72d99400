/* Numbers from what streams recorded for a profile.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "pipeline/profile/profile.h"

/* ---- streams ---------------------------------------------------------------------------------------- */

uint32_t pipeline_profile_count(const struct core_profile *profile)
{
    uint32_t count = 0;
    for (const struct core_profile_result *each = profile->results; each != NULL; each = each->next)
        count += each->first_ns != 0;
    return count;
}

static bool is_before(const struct core_profile_result *a, const struct core_profile_result *b)
{
    return a->first_ns != b->first_ns ? a->first_ns < b->first_ns : a < b;
}

static uint32_t rank_of(const struct core_profile *profile, const struct core_profile_result *result)
{
    uint32_t rank = 0;
    for (const struct core_profile_result *each = profile->results; each != NULL; each = each->next)
        rank += each->first_ns != 0 && is_before(each, result);
    return rank;
}

const struct core_profile_result *pipeline_profile_at(const struct core_profile *profile, uint32_t index)
{
    const struct core_profile_result *each = profile->results;
    while (each != NULL && (each->first_ns == 0 || rank_of(profile, each) != index))
        each = each->next;
    return each;
}

static uint64_t percentile(const uint32_t *slots, uint64_t percent)
{
    uint64_t all = 0, seen = 0;
    for (uint32_t i = 0; i <= CORE_PROFILE_TIMES; i++)
        all += slots[i];
    for (uint32_t i = 0; i <= CORE_PROFILE_TIMES; i++) {
        seen += slots[i];
        if (seen * 100 >= all * percent && seen != 0)
            return core_profile_slot_time(i);
    }
    return 0;
}

static uint64_t scale(uint64_t value, uint64_t all, uint64_t part)
{
    return part == 0 || part == all ? value : (uint64_t)((double)value * (double)all / (double)part);
}

void pipeline_profile_sum(const struct core_profile_result *result, struct trm_profile_stream *stream)
{
    uint64_t busy = 0;
    *stream       = (struct trm_profile_stream){
              .struct_size = sizeof(*stream),
              .number      = result->number,
              .peak_bytes  = result->peak_bytes,
              .queued      = {percentile(result->queued, 50), percentile(result->queued, 99)},
              .ran         = {percentile(result->ran, 50), percentile(result->ran, 99)},
    };
    for (uint32_t i = 0; i < TRM_PROFILE_WORKS; i++) {
        stream->count[i] = result->count[i];
        stream->bytes[i] = result->bytes[i];
        stream->operations += result->count[i];
        stream->timed += result->timed[i];
        stream->busy_ns[i] = scale(result->busy_ns[i], result->count[i], result->timed[i]);
        busy += stream->busy_ns[i];
    }
    if (result->last_ns > result->first_ns)
        stream->span_ns = result->last_ns - result->first_ns;
    if (stream->span_ns > busy)
        stream->idle_ns = stream->span_ns - busy;
}

/* ---- the device ------------------------------------------------------------------------------------- */

struct interval {
    uint64_t begin, end;
};

static int compare(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static uint64_t length_of_union(struct interval *intervals, size_t count)
{
    uint64_t length = 0, reached = 0;
    qsort(intervals, count, sizeof(*intervals), compare);
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = intervals[i].begin > reached ? intervals[i].begin : reached;
        if (intervals[i].end <= begin)
            continue;
        length += intervals[i].end - begin;
        reached = intervals[i].end;
    }
    return length;
}

static size_t fill_intervals(const struct core_profile *profile, struct interval *intervals)
{
    size_t count = 0;
    for (const struct core_profile_result *each = profile->results; each != NULL; each = each->next) {
        for (uint32_t i = 0; i < each->record_count; i++) {
            if (each->records[i].kind != CORE_WORK_WAIT)
                intervals[count++] = (struct interval){each->records[i].begin, each->records[i].end};
        }
    }
    return count;
}

int32_t pipeline_profile_sum_device(const struct core_profile *profile,
                                    struct pipeline_profile_device *device)
{
    uint64_t operations = 0, records = 0;
    *device = (struct pipeline_profile_device){.wall_ns = profile->ended - profile->begun};
    for (const struct core_profile_result *each = profile->results; each != NULL; each = each->next) {
        struct trm_profile_stream stream;
        pipeline_profile_sum(each, &stream);
        operations += stream.operations;
        records += each->record_count;
        for (uint32_t i = 0; i < TRM_PROFILE_WAIT; i++)
            device->busy_ns += stream.busy_ns[i];
        if (stream.peak_bytes > device->peak_bytes)
            device->peak_bytes = stream.peak_bytes;
    }
    if (records == 0 || records != operations)
        return TRM_OK;

    struct core_context *context = profile->object.context;
    size_t size                  = records * sizeof(struct interval);
    struct interval *intervals   = core_allocate(context, size);
    if (intervals == NULL)
        return base_fail_memory("adding up a profile");
    uint64_t busy   = length_of_union(intervals, fill_intervals(profile, intervals));
    device->overlap = busy == 0 ? 0 : (uint64_t)((double)device->busy_ns * 1000.0 / (double)busy + 0.5);
    core_free(context, intervals, size);
    return TRM_OK;
}
