/* What observers see of a pipeline at any time.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

static int32_t state_of(struct pipeline_slot *slot, uint64_t place)
{
    switch (pipeline_place_state(place)) {
    case PIPELINE_SLOT_FREE:
        return TRM_SLOT_FREE;
    case PIPELINE_SLOT_HELD:
    case PIPELINE_SLOT_LOADING:
    case PIPELINE_SLOT_FILLED:
        return TRM_SLOT_LOADING;
    case PIPELINE_SLOT_ENQUEUING:
    case PIPELINE_SLOT_SUBMITTED:
    case PIPELINE_SLOT_ABANDONED:
        return pipeline_slot_stage(slot);
    default:
        return TRM_SLOT_DONE;
    }
}

/* How far the token is on the device counts only if the slot has not moved meanwhile. Each further look
 * follows a move, so the pipeline makes progress. */
static struct trm_slot look(struct pipeline_slot *slot)
{
    uint64_t place, after = atomic_load(&slot->place);
    int32_t state;
    do {
        place = after;
        state = state_of(slot, place);
        after = atomic_load(&slot->place);
    } while (after != place);
    return (struct trm_slot){.state = state, .token = pipeline_place_token(place)};
}

int32_t trm_pipeline_slots(struct trm_pipeline *handle, struct trm_slot *slots, uint32_t capacity,
                           uint32_t *count)
{
    if (capacity > 0) {
        int32_t status = core_output_check(slots, "trm_pipeline_slots", "slots");
        if (status != TRM_OK)
            return status;
    }
    int32_t status = core_output_check(count, "trm_pipeline_slots", "count");
    if (status != TRM_OK)
        return status;
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    uint32_t depth = atomic_load(&pipeline->depth);
    for (uint32_t i = 0; i < depth && i < capacity; i++)
        slots[i] = look(pipeline->slots[i]);
    *count = depth;
    core_object_leave(&pipeline->object);
    return TRM_OK;
}

const char *trm_slot_state_name(int32_t state)
{
    static const char *const names[] = {
        [TRM_SLOT_FREE]        = "free",
        [TRM_SLOT_LOADING]     = "loading",
        [TRM_SLOT_UPLOADING]   = "uploading",
        [TRM_SLOT_PROCESSING]  = "processing",
        [TRM_SLOT_DOWNLOADING] = "downloading",
        [TRM_SLOT_DONE]        = "done",
    };
    return state >= TRM_SLOT_FREE && state <= TRM_SLOT_DONE ? names[state] : "unknown";
}
