/* Tasks that come after others: on which stream.
 *
 * Behind the last task of a stream a task begins at once, on the same processor, and needs no wait. What
 * comes after an earlier one may stay behind all that the stream has, or go to another stream, which then
 * waits, as does all that is put behind it there. A chain stays on its stream, and its side branches leave it
 * for one that is free: a task stays if what it loses by that is less than half of its own time.
 *
 * A stream that waits keeps other work back, and while all processors have work nothing begins sooner on a
 * stream of its own. So a task leaves only for a stream on which it is predicted to begin earlier, and for an
 * idle one only while fewer streams have work than the device runs at once. Else the tasks of a graph stay
 * together, and graphs that do not depend on each other run side by side.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/pool.h"

/* Nanoseconds. What a wait between streams costs. */
#define HOP_NS 2000u

static bool has_reached(const struct core_stream *stream, uint64_t value)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= value;
}

void pipeline_pool_mark_locked(struct pipeline_pool_slot *slot, uint64_t value)
{
    slot->recent[slot->marks++ % PIPELINE_POOL_RECENT] =
        (struct pipeline_pool_mark){value, slot->predicted_end - slot->delay};
}

bool pipeline_pool_is_followed(const struct pipeline_pool_slot *slot, const struct trm_stream_task *task)
{
    for (uint32_t i = 0; i < task->after_count; i++)
        if (task->after[i].value == slot->seen && task->after[i].stream == slot->stream->object.handle)
            return true;
    return false;
}

/* Of an operation that is not remembered any more, the end of the oldest that is. */
static uint64_t end_of(const struct pipeline_pool_slot *slot, uint64_t value)
{
    uint64_t end = slot->predicted_end;
    for (uint32_t i = 0; i < PIPELINE_POOL_RECENT && i < slot->marks; i++) {
        const struct pipeline_pool_mark *mark =
            &slot->recent[(slot->marks - 1 - i) % PIPELINE_POOL_RECENT];
        if (mark->value < value)
            break;
        end = mark->end + slot->delay;
    }
    return end;
}

uint64_t pipeline_pool_reaches_at(const struct pipeline_pool_slot *slot, const struct trm_stream_task *task)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < task->after_count; i++)
        if (task->after[i].stream == slot->stream->object.handle && task->after[i].value > last)
            last = task->after[i].value;
    return last != 0 && !has_reached(slot->stream, last) ? end_of(slot, last) : 0;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

bool pipeline_pool_stays_locked(struct pipeline_stream_pool *pool,
                                const struct pipeline_pool_request *request,
                                const struct pipeline_pool_slot *slot, uint64_t reached,
                                uint64_t other_free)
{
    const struct pipeline_task_model *model = pipeline_task_model_find(&pool->models, &request->key);
    uint64_t there = later(reached, other_free), half = model != NULL ? (uint64_t)model->time.mean / 2 : 0;
    return slot->predicted_end <= there + half + HOP_NS;
}
