/* Tasks that come after others: on which stream.
 *
 * A task that comes after the last task of a stream is enqueued there: it begins at once, on the same
 * processor, and needs no wait. A task that comes after an earlier one stays behind all that the stream has,
 * or goes to another stream, which then waits, and with it all later work of that stream. It stays if the
 * work in between takes less than half of its own time, or if it is so short that a wait between streams
 * costs more. So a chain stays on its stream, and its side branches go to free ones.
 *
 * A waiting stream delays its later work, and while all processors have work, a task begins no sooner on an
 * idle stream. So a task goes only to a stream on which it is predicted to begin earlier, and to an idle one
 * only while fewer streams have work than the device runs at once. Otherwise the tasks of a graph stay
 * together, and independent graphs run side by side.
 *
 * The duration of a task is the least time that was measured, since others grow with the work beside it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/pool.h"

/* What a wait between streams costs, in nanoseconds. */
#define HOP_NS 5000u

static bool has_reached(const struct core_stream *stream, uint64_t value)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= value;
}

void pipeline_pool_mark_locked(struct pipeline_pool_slot *slot, uint64_t value, double least)
{
    slot->work += (uint64_t)least;
    slot->recent[slot->marks++ % PIPELINE_POOL_RECENT] =
        (struct pipeline_pool_mark){value, slot->predicted_end - slot->delay, slot->work};
}

bool pipeline_pool_is_followed(const struct pipeline_pool_slot *slot, const struct trm_stream_task *task)
{
    for (uint32_t i = 0; i < task->after_count; i++)
        if (task->after[i].value == slot->seen && task->after[i].stream == slot->stream->object.handle)
            return true;
    return false;
}

/* If the operation is older than all that are remembered: the oldest of these. */
static struct pipeline_pool_mark mark_of(const struct pipeline_pool_slot *slot, uint64_t value)
{
    struct pipeline_pool_mark found = {value, slot->predicted_end - slot->delay, slot->work};
    for (uint32_t i = 0; i < PIPELINE_POOL_RECENT && i < slot->marks; i++) {
        const struct pipeline_pool_mark *mark = &slot->recent[(slot->marks - 1 - i) % PIPELINE_POOL_RECENT];
        if (mark->value < value)
            break;
        found = *mark;
    }
    found.end += slot->delay;
    return found;
}

bool pipeline_pool_find_after(const struct pipeline_pool_slot *slot, const struct trm_stream_task *task,
                              struct pipeline_pool_mark *after)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < task->after_count; i++)
        if (task->after[i].stream == slot->stream->object.handle && task->after[i].value > last)
            last = task->after[i].value;
    if (last == 0 || has_reached(slot->stream, last))
        return false;
    *after = mark_of(slot, last);
    return true;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

bool pipeline_pool_stays(const struct pipeline_pool_slot *slot, const struct pipeline_pool_mark *after,
                         uint64_t takes, uint64_t other_free, bool is_full)
{
    if (is_full && slot->predicted_end <= later(after->end, other_free) + HOP_NS)
        return true;
    return takes < HOP_NS || slot->work - after->work <= takes / 2 + HOP_NS;
}
