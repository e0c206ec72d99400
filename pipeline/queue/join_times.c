/* How many joins there were, and how long they took on the first device.
 *
 * An event is recorded before and one after a join on the stream that has joins on the first device. At most
 * one join a millisecond is timed, since stamps take time; the others are taken to last as long.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/event.h>

#include "base/base.h"
#include "core/event/event.h"
#include "core/stream/stream.h"
#include "pipeline/queue/join.h"

#define TIMED_EACH_NS 1000000u

int32_t pipeline_join_times_create(struct pipeline_join_times *times, const struct pipeline *member)
{
    int32_t status = TRM_OK;
    if (member->desc.measure == TRM_MEASURE_NONE)
        return TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < PIPELINE_JOINS_TIMED; i++) {
        status = core_event_create(member->device, TRM_EVENT_TIMING, &times->pairs[i].begin);
        if (status == TRM_OK)
            status = core_event_create(member->device, TRM_EVENT_TIMING, &times->pairs[i].end);
    }
    return status;
}

void pipeline_join_times_destroy(struct pipeline_join_times *times)
{
    for (uint32_t i = 0; i < PIPELINE_JOINS_TIMED; i++) {
        trm_event_destroy(times->pairs[i].begin);
        trm_event_destroy(times->pairs[i].end);
    }
}

void pipeline_join_times_collect(struct pipeline_join_times *times)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    for (uint32_t i = 0; i < PIPELINE_JOINS_TIMED; i++) {
        struct pipeline_join_pair *pair = &times->pairs[i];
        int64_t took                    = 0;
        int32_t status                  = pair->is_pending ? trm_event_done(pair->end) : TRM_ERROR_TIMEOUT;
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        pair->is_pending = false;
        if (status != TRM_OK || trm_event_elapsed(pair->begin, pair->end, &took) != TRM_OK || took < 0)
            continue;
        atomic_fetch_add_explicit(&times->sum, (uint64_t)took, memory_order_relaxed);
        atomic_fetch_add_explicit(&times->timed, 1, memory_order_relaxed);
    }
    base_error_restore(&saved);
}

/* NULL: the join is not timed. */
static struct pipeline_join_pair *free_pair(struct pipeline_join_times *times)
{
    uint64_t now = base_now();
    if (times->last != 0 && now - times->last < TIMED_EACH_NS)
        return NULL;
    pipeline_join_times_collect(times);
    for (uint32_t i = 0; i < PIPELINE_JOINS_TIMED; i++) {
        if (times->pairs[i].end == NULL || times->pairs[i].is_pending)
            continue;
        times->last = now;
        return &times->pairs[i];
    }
    return NULL;
}

int32_t pipeline_join_times_begin(struct pipeline_join_times *times, struct trm_stream *stream,
                                  struct pipeline_join_pair **pair)
{
    *pair = free_pair(times);
    return *pair != NULL ? trm_event_record((*pair)->begin, stream) : TRM_OK;
}

int32_t pipeline_join_times_end(struct pipeline_join_times *times, struct trm_stream *stream,
                                struct pipeline_join_pair *pair)
{
    int32_t status = pair != NULL ? trm_event_record(pair->end, stream) : TRM_OK;
    if (pair != NULL)
        pair->is_pending = status == TRM_OK;
    atomic_fetch_add_explicit(&times->joins, status == TRM_OK, memory_order_relaxed);
    return status;
}

void pipeline_joins_forget(struct pipeline *front)
{
    if (front->joins == NULL)
        return;
    atomic_store_explicit(&front->joins->times.joins, 0, memory_order_relaxed);
    atomic_store_explicit(&front->joins->times.timed, 0, memory_order_relaxed);
    atomic_store_explicit(&front->joins->times.sum, 0, memory_order_relaxed);
}

void pipeline_joins_report(const struct pipeline *front, struct trm_report *report)
{
    if (front->joins == NULL)
        return;
    const struct pipeline_join_times *times = &front->joins->times;
    uint64_t timed                          = atomic_load_explicit(&times->timed, memory_order_relaxed);
    uint64_t sum                            = atomic_load_explicit(&times->sum, memory_order_relaxed);
    report->joins                           = atomic_load_explicit(&times->joins, memory_order_relaxed);
    if (timed != 0)
        report->join_ns = (uint64_t)((unsigned __int128)sum * report->joins / timed);
}
