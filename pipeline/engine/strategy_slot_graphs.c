/* A stream and a recorded graph for each slot. A token is one launch of the graph; one that does not fit the
 * recording is enqueued operation by operation, or, where kernels stay on the device, recorded anew.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

static const char *first_stage(const struct pipeline *pipeline)
{
    return pipeline->desc.stage_count != 0 ? pipeline->stages[0].name : "nothing";
}

/* The steps of a graph cannot be observed, so the points are set around it. */
static int32_t replay(struct pipeline_slot *slot, struct trm_stream *stream, struct trm_graph_exec *exec)
{
    struct core_recorder recorder    = {.slot = slot, .stream = stream};
    struct pipeline_slot_device *own = slot->device;

    int32_t status = pipeline_record_wait_turn(&recorder);
    if (status != TRM_OK)
        return pipeline_finish_point(&own->finished, stream, status);
    pipeline_slot_mark(&own->uploaded, stream, false);
    status = trm_graph_launch(exec, stream);
    if (status != TRM_OK)
        status = pipeline_fail_compute(status, first_stage(slot->pipeline));
    status = pipeline_finish_point(&own->finished, stream, status);
    pipeline_slot_mark(&own->processed, stream, false);
    return status;
}

/* Drops recordings of the other kind of steps: no later token fits them. The slot's last token has ended. */
static void follow_strategy(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;
    bool zero_copy                   = slot->pipeline->engine->zero_copy;

    if (own->recorded_zero_copy != zero_copy)
        pipeline_recordings_drop(slot);
    own->recorded_zero_copy = zero_copy;
}

int32_t pipeline_enqueue_recording(struct pipeline_slot *slot)
{
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *stream;

    follow_strategy(slot);
    int32_t status = pipeline_slot_stream(slot, &stream);
    if (status != TRM_OK)
        return pipeline_fail_stage(status, "upload");
    if (pipeline_recording_ready(slot, &exec) == TRM_OK)
        return replay(slot, stream, exec);
    pipeline_recording_restart(slot);
    return pipeline_enqueue_on_slot_stream(slot);
}

const struct pipeline_strategy_ops pipeline_strategy_slot_graphs = {
    .strategy = TRM_STRATEGY_SLOT_GRAPHS,
    .enqueue  = pipeline_enqueue_recording,
};

/* ---- kernels that stay on the device --------------------------------------------------------- */

/* A resident stream for each slot, and each token a resident graph (core/graph/create.h), which the backend
 * starts by a store into memory that host and device share. Nothing else can run on such a stream. */
static int32_t replay_resident(struct pipeline_slot *slot, struct trm_stream *stream,
                               struct trm_graph_exec *exec)
{
    struct core_recorder recorder    = {.slot = slot, .stream = stream};
    struct pipeline_slot_device *own = slot->device;

    int32_t status = pipeline_record_wait_turn(&recorder);
    if (status == TRM_OK)
        status = trm_graph_launch(exec, stream);
    if (status != TRM_OK)
        status = pipeline_fail_compute(status, first_stage(slot->pipeline));
    status = pipeline_finish_point(&own->finished, stream, status);
    pipeline_slot_mark(&own->processed, stream, false);
    return status;
}

/* Where the device has no time stamps that a graph can take, a measured token has none. That is so when the
 * token can be recorded without: it may lack something else. */
static int32_t ready(struct pipeline_slot *slot, struct trm_graph_exec **exec)
{
    struct pipeline_slot_device *own = slot->device;
    struct base_saved_error saved;

    if (own->samples == 0)
        return pipeline_recording_ready_anew(slot, exec);
    base_error_save(&saved);
    int32_t status = pipeline_recording_ready_anew(slot, exec);
    if (status != TRM_ERROR_UNSUPPORTED)
        return status;
    base_error_restore(&saved);
    pipeline_recording_restart(slot);
    own->samples  = 0;
    own->is_noted = true;
    status        = pipeline_recording_ready_anew(slot, exec);
    if (status == TRM_OK)
        pipeline_recording_give_up_stamps(slot);
    return status;
}

static int32_t enqueue_resident(struct pipeline_slot *slot)
{
    struct trm_graph_exec *exec = NULL;
    struct trm_stream *stream;

    int32_t status = pipeline_slot_stream(slot, &stream);
    if (status != TRM_OK)
        return pipeline_fail_stage(status, "upload");
    status = ready(slot, &exec);
    if (status != TRM_OK)
        return pipeline_finish_point(&slot->device->finished, stream,
                                     pipeline_fail_compute(status, first_stage(slot->pipeline)));
    return replay_resident(slot, stream, exec);
}

const struct pipeline_strategy_ops pipeline_strategy_resident = {
    .strategy    = TRM_STRATEGY_RESIDENT,
    .is_recorded = true,
    .enqueue     = enqueue_resident,
};
