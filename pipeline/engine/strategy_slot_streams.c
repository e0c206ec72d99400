/* A stream for each slot. The device overlaps tokens of different slots as it sees fit; a failure stays in
 * its slot.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

int32_t pipeline_enqueue_on_slot_stream(struct pipeline_slot *slot)
{
    struct core_recorder recorder = {.slot = slot};

    int32_t status = pipeline_slot_stream(slot, &recorder.stream);
    if (status != TRM_OK)
        return pipeline_fail_stage(status, "upload");
    return pipeline_finish_point(&slot->device->finished, recorder.stream, pipeline_record_token(&recorder));
}

const struct pipeline_strategy_ops pipeline_strategy_slot_streams = {
    .strategy = TRM_STRATEGY_SLOT_STREAMS,
    .enqueue  = pipeline_enqueue_on_slot_stream,
};
