/* Pipelines: a stream for each slot. Tokens of different slots overlap as the device sees fit; a failure stays in its
 * slot.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

int32_t core_put_on_slot(struct core_slot *slot)
{
    struct core_put put = {.slot = slot};

    int32_t status = core_slot_stream(slot, &put.stream);
    if (status != TRM_OK)
        return core_fail_stage(status, "upload");
    return core_finish_point(&slot->device->finished, put.stream, core_put_token(&put));
}

const struct core_strategy_ops core_strategy_slot_streams = {
    .strategy = TRM_STRATEGY_SLOT_STREAMS,
    .enqueue  = core_put_on_slot,
};
