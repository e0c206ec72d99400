/* A stream for each slot. The device overlaps tokens of different slots as it sees fit; a failure stays in
 * its slot.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

int32_t core_enqueue_on_slot_stream(struct core_slot *slot)
{
    struct core_recorder recorder = {.slot = slot};

    int32_t status = core_slot_stream(slot, &recorder.stream);
    if (status != TRM_OK)
        return core_fail_stage(status, "upload");
    return core_finish_point(&slot->device->finished, recorder.stream, core_record_token(&recorder));
}

const struct core_strategy_ops core_strategy_slot_streams = {
    .strategy = TRM_STRATEGY_SLOT_STREAMS,
    .enqueue  = core_enqueue_on_slot_stream,
};
