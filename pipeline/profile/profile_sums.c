/* Numbers from what streams recorded for a profile.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "pipeline/profile/profile.h"

/* ---- streams ---------------------------------------------------------------------------------------- */

/* The longest time of a class: so many per cent of the operations took no longer. */
static uint64_t longest_of(uint32_t slot)
{
    return slot < CORE_PROFILE_TIMES ? core_profile_slot_time(slot + 1) - 1 : core_profile_slot_time(slot);
}

static uint64_t percentile(const uint32_t *slots, uint64_t percent)
{
    uint64_t all = 0, seen = 0;
    for (uint32_t i = 0; i <= CORE_PROFILE_TIMES; i++)
        all += slots[i];
    for (uint32_t i = 0; i <= CORE_PROFILE_TIMES; i++) {
        seen += slots[i];
        if (seen * 100 >= all * percent && seen != 0)
            return longest_of(i);
    }
    return 0;
}

uint64_t pipeline_profile_scale(uint64_t value, uint64_t all, uint64_t part)
{
    return part == 0 || part == all ? value : (uint64_t)((double)value * (double)all / (double)part);
}

void pipeline_profile_sum(const struct pipeline_profile_entry *entry, struct trm_profile_stream *stream)
{
    const struct core_profile_result *result = entry->result;
    uint64_t busy                            = 0;
    *stream                                  = (struct trm_profile_stream){
                                         .struct_size = sizeof(*stream),
                                         .number      = result->number,
                                         .peak_bytes  = result->peak_bytes,
                                         .queued      = {percentile(result->queued, 50), percentile(result->queued, 99)},
                                         .ran         = {percentile(result->ran, 50), percentile(result->ran, 99)},
                                         .device      = entry->device,
                                         .wait_count  = result->wait_count,
    };
    memcpy(stream->name, result->name, sizeof(stream->name));
    for (uint32_t i = 0; i < TRM_PROFILE_WORKS; i++) {
        stream->count[i] = result->count[i];
        stream->bytes[i] = result->bytes[i];
        stream->operations += result->count[i];
        stream->timed += result->timed[i];
        stream->busy_ns[i] = pipeline_profile_scale(result->busy_ns[i], result->count[i], result->timed[i]);
        busy += stream->busy_ns[i];
    }
    if (result->last_ns > result->first_ns)
        stream->span_ns = result->last_ns - result->first_ns;
    if (stream->span_ns > busy)
        stream->idle_ns = stream->span_ns - busy;
}

/* ---- waits ------------------------------------------------------------------------------------------ */

static uint64_t time_of(const struct core_profile_subject *wait)
{
    return pipeline_profile_scale(wait->busy_ns, wait->count, wait->timed);
}

static bool is_longer(const struct core_profile_subject *a, const struct core_profile_subject *b)
{
    return time_of(a) != time_of(b) ? time_of(a) > time_of(b) : a < b;
}

const struct core_profile_subject *pipeline_profile_wait(const struct core_profile_result *result,
                                                         uint32_t rank)
{
    for (const struct core_profile_subject *each = result->waits; each != NULL; each = each->next) {
        uint32_t before = 0;
        for (const struct core_profile_subject *other = result->waits; other != NULL; other = other->next)
            before += other != each && is_longer(other, each);
        if (before == rank)
            return each;
    }
    return NULL;
}

/* ---- devices ---------------------------------------------------------------------------------------- */

struct interval {
    uint64_t begin, end;
    bool is_kernel;
};

static int compare(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

enum selection {
    ALL,
    KERNELS,
    COPIES,
};

static bool is_selected(const struct interval *interval, enum selection selection)
{
    return selection == ALL || interval->is_kernel == (selection == KERNELS);
}

/* The intervals are in the order of their beginnings. */
static uint64_t length_of_union(const struct interval *intervals, size_t count, enum selection selection)
{
    uint64_t length = 0, reached = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = intervals[i].begin > reached ? intervals[i].begin : reached;
        if (!is_selected(&intervals[i], selection) || intervals[i].end <= begin)
            continue;
        length += intervals[i].end - begin;
        reached = intervals[i].end;
    }
    return length;
}

static bool is_of(const struct pipeline_profile_entry *entry, uint32_t index)
{
    return index == TRM_PROFILE_ALL || entry->device == index;
}

static size_t fill_intervals(const struct pipeline_profile_view *view, uint32_t index,
                             struct interval *intervals)
{
    size_t count = 0;
    for (uint32_t i = 0; i < view->stream_count; i++) {
        const struct core_profile_result *result = view->streams[i].result;
        for (uint32_t j = 0; is_of(&view->streams[i], index) && j < result->record_count; j++) {
            const struct core_profile_record *record = &result->records[j];
            if (record->kind == CORE_WORK_WAIT)
                continue;
            bool is_kernel     = record->kind == CORE_WORK_LAUNCH || record->kind == CORE_WORK_GRAPH;
            intervals[count++] = (struct interval){record->begin, record->end, is_kernel};
        }
    }
    return count;
}

static void set_unions(struct trm_profile_device *device, struct interval *intervals, size_t count)
{
    uint64_t busy = 0;
    qsort(intervals, count, sizeof(*intervals), compare);
    device->active_ns  = length_of_union(intervals, count, ALL);
    device->kernels_ns = length_of_union(intervals, count, KERNELS);
    device->copies_ns  = length_of_union(intervals, count, COPIES);
    for (uint32_t i = 0; i < TRM_PROFILE_WAIT; i++)
        busy += device->busy_ns[i];
    if (device->active_ns != 0)
        device->overlap = (uint64_t)((double)busy * 1000.0 / (double)device->active_ns + 0.5);
}

static void add_stream(struct trm_profile_device *device, const struct trm_profile_stream *stream)
{
    device->streams++;
    device->operations += stream->operations;
    device->timed += stream->timed;
    for (uint32_t i = 0; i < TRM_PROFILE_WORKS; i++) {
        device->count[i] += stream->count[i];
        device->bytes[i] += stream->bytes[i];
        device->busy_ns[i] += stream->busy_ns[i];
    }
}

/* Of several devices: the sum of what each one needed at most. */
static uint64_t peak_of(const struct core_profile *profile, uint32_t index)
{
    uint64_t sum = 0, at = 0;
    for (const struct core_profile_part *part = profile->parts; part != NULL; part = part->next, at++) {
        uint64_t most = 0;
        for (const struct core_profile_result *each = part->results; each != NULL; each = each->next)
            most = each->peak_bytes > most ? each->peak_bytes : most;
        if (index == TRM_PROFILE_ALL || index == at)
            sum += most;
    }
    return sum;
}

static void describe(const struct pipeline_profile_view *view, uint32_t index,
                     struct trm_profile_device *device)
{
    bool is_one = index != TRM_PROFILE_ALL || view->device_count == 1;
    const struct core_profile_part *part =
        is_one ? pipeline_profile_part(view->profile, index != TRM_PROFILE_ALL ? index : 0) : NULL;
    *device = (struct trm_profile_device){.struct_size = sizeof(*device)};
    base_text_copy(device->id, sizeof(device->id), part != NULL ? part->device_id : "all");
    device->wall_ns = part != NULL ? part->ended - part->begun : view->profile->ended - view->profile->begun;
    device->peak_bytes = peak_of(view->profile, index);
}

int32_t pipeline_profile_sum_device(const struct pipeline_profile_view *view, uint32_t index,
                                    struct trm_profile_device *device)
{
    uint64_t records = 0;
    describe(view, index, device);
    for (uint32_t i = 0; i < view->stream_count; i++) {
        struct trm_profile_stream stream;
        if (!is_of(&view->streams[i], index))
            continue;
        pipeline_profile_sum(&view->streams[i], &stream);
        add_stream(device, &stream);
        records += view->streams[i].result->record_count;
    }
    if (records == 0 || records != device->operations)
        return TRM_OK;
    struct interval *intervals = core_allocate(view->context, records * sizeof(*intervals));
    if (intervals == NULL)
        return base_fail_memory("adding up a profile");
    set_unions(device, intervals, fill_intervals(view, index, intervals));
    core_free(view->context, intervals, records * sizeof(*intervals));
    return TRM_OK;
}
