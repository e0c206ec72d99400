/* Descriptors that become readable when a token can be taken, for event loops.
 *
 * The signal of a descriptor waits for the device, without a lock, and is listed in the entry of the token's
 * slot. It is raised by what comes first: the end of the work, or the token's leaving the queues.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/stream/stream.h"
#include "pipeline/queue/queue.h"

void pipeline_token_signal(struct pipeline_slot *slot)
{
    struct pipeline_queue_entry *entry = pipeline_queue_entry(slot);
    while (entry->signals != NULL) {
        struct core_signal *signal = entry->signals;
        entry->signals             = signal->next;
        core_signal_raise(signal);
        core_signal_release(signal);
    }
}

/* The slot that a token has now, or has had; NULL: another token is there. */
static struct pipeline_slot *find(const struct pipeline *pipeline, uint64_t token)
{
    for (uint32_t i = 0; i < pipeline->queue->depth; i++) {
        uint64_t place = atomic_load_explicit(&pipeline->slots[i]->place, memory_order_relaxed);
        if (pipeline_place_token(place) == token && pipeline_place_state(place) != PIPELINE_SLOT_FREE)
            return pipeline->slots[i];
    }
    return NULL;
}

/* Whether trm_pipeline_next() returns a token while those before it still run. */
static bool is_out_of_order(const struct pipeline *pipeline)
{
    return (pipeline->desc.flags & TRM_PIPELINE_UNORDERED) != 0 || pipeline->desc.on_full == TRM_FULL_LATEST;
}

/* The slots whose work ends before the token of `slot` can be taken, oldest first. */
static uint32_t collect(const struct pipeline *pipeline, struct pipeline_slot *slot,
                        struct pipeline_slot **slots)
{
    bool alone               = is_out_of_order(pipeline);
    uint32_t count           = 0;
    struct pipeline_slot *at = pipeline->queue->ordered.first;
    for (; at != NULL; at = at->next) {
        if (pipeline_slot_state(at) == PIPELINE_SLOT_SUBMITTED && (at == slot || !alone))
            slots[count++] = at;
        if (at == slot)
            break;
    }
    return count;
}

/* Lists the signal with its token, unless the token has come out. With both locks. */
static int32_t enlist(struct pipeline *pipeline, uint64_t token, struct core_signal *signal,
                      struct pipeline_slot **slots, uint32_t *count)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct pipeline_slot *slot   = find(pipeline, token);
    int32_t state                = slot != NULL ? pipeline_slot_state(slot) : PIPELINE_SLOT_FREE;
    *count                       = 0;
    if (token >= queue->next_index)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "token %" PRIu64 " is not there: the next one has the index %" PRIu64, token,
                         queue->next_index);
    if (state == PIPELINE_SLOT_HELD || state == PIPELINE_SLOT_LOADING || state == PIPELINE_SLOT_FILLED)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "token %" PRIu64 " has not been submitted yet", token);
    if (state != PIPELINE_SLOT_SUBMITTED && state != PIPELINE_SLOT_ENDED)
        return TRM_OK;
    core_signal_retain(signal);
    signal->next                        = pipeline_queue_entry(slot)->signals;
    pipeline_queue_entry(slot)->signals = signal;
    *count                              = collect(pipeline, slot, slots);
    return TRM_OK;
}

static int32_t watch(struct pipeline *pipeline, uint64_t token, struct core_signal *signal)
{
    struct pipeline_slot *slots[PIPELINE_DEPTH_MOST];
    uint32_t count;
    base_biased_lock_acquire(&pipeline->enqueue_lock);
    base_biased_lock_acquire(&pipeline->lock);
    int32_t status = enlist(pipeline, token, signal, slots, &count);
    base_biased_lock_release(&pipeline->lock);
    if (status == TRM_OK)
        status = pipeline_slots_signal(slots, count, signal);
    base_biased_lock_release(&pipeline->enqueue_lock);
    if (status == TRM_OK)
        core_signal_arm(signal);
    return status;
}

static int32_t token_fd(struct pipeline *pipeline, uint64_t token, int32_t *descriptor)
{
    struct core_signal *signal;
    int32_t status = core_signal_create(pipeline->object.context, &signal);
    if (status != TRM_OK)
        return status;
    status = watch(pipeline, token, signal);
    if (status == TRM_OK)
        status = core_signal_open(signal, "trm_pipeline_token_fd", descriptor);
    core_signal_release(signal);
    return status;
}

int32_t trm_pipeline_token_fd(struct trm_pipeline *handle, uint64_t token, int32_t *descriptor)
{
    int32_t status = core_output_check(descriptor, "trm_pipeline_token_fd", "descriptor");
    if (status != TRM_OK)
        return status;
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = pipeline_calling_check_enqueue(pipeline, "trm_pipeline_token_fd()");
    if (status == TRM_OK)
        status = token_fd(pipeline, token, descriptor);
    core_object_leave(&pipeline->object);
    return status;
}
