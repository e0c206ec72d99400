/* Kernels that stay on the device: a resident stream for each slot, and each token a resident graph, which the
 * backend starts by a store into memory that host and device share (core/graph/create.h). Nothing else can run
 * on such a stream, so a token that does not fit the slot's recording is recorded anew.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/engine/engine_internal.h"

static const char *first_stage(const struct pipeline_slot *slot)
{
    return slot->pipeline->desc.stage_count != 0 ? slot->pipeline->stages[0].name : "nothing";
}

static int32_t replay(struct pipeline_slot *slot, struct trm_stream *stream, struct trm_graph_exec *exec)
{
    struct core_recorder recorder    = {.slot = slot, .stream = stream};
    struct pipeline_slot_device *own = slot->device;

    int32_t status = pipeline_record_wait_turn(&recorder);
    if (status == TRM_OK)
        status = trm_graph_launch(exec, stream);
    if (status != TRM_OK)
        status = pipeline_fail_compute(status, first_stage(slot));
    status = pipeline_finish_point(&own->finished, stream, status);
    pipeline_slot_mark(&own->processed, stream, false);
    return status;
}

static int32_t enqueue(struct pipeline_slot *slot)
{
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *stream;

    int32_t status = pipeline_slot_stream(slot, &stream);
    if (status != TRM_OK)
        return pipeline_fail_stage(status, "upload");
    status = pipeline_recording_ready_anew(slot, &exec);
    if (status != TRM_OK)
        return pipeline_finish_point(&slot->device->finished, stream,
                                     pipeline_fail_compute(status, first_stage(slot)));
    return replay(slot, stream, exec);
}

const struct pipeline_strategy_ops pipeline_strategy_resident = {
    .strategy    = TRM_STRATEGY_RESIDENT,
    .is_recorded = true,
    .enqueue     = enqueue,
};
