/* One stream each for upload, compute and download, with points between them. Each engine of the device gets
 * the tokens in order. A failed stream fails all tokens on it until it is replaced.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

/* The streams of a token; a stream without work for it is not used. */
struct roles {
    struct core_recorder recorder[3];
};

static int32_t find_streams(struct pipeline_slot *slot, struct roles *roles)
{
    static const int32_t role[3] = {TRM_STREAM_UPLOAD, TRM_STREAM_COMPUTE, TRM_STREAM_DOWNLOAD};
    int32_t status               = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < 3; i++) {
        roles->recorder[i] = (struct core_recorder){
            .slot        = slot,
            .sample      = pipeline_times_sample(slot, 0),
            .is_separate = true,
        };
        status = pipeline_role_stream(slot->pipeline, role[i], &roles->recorder[i].stream);
    }
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "upload");
}

/* Orders the next operations behind a point. */
static int32_t wait_for(const struct core_recorder *recorder, const struct pipeline_slot_point *point,
                        const char *stage)
{
    int32_t status = trm_stream_wait(recorder->stream, pipeline_slot_point(point));

    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, stage);
}

static int32_t record_compute(struct pipeline_slot *slot, struct core_recorder *compute)
{
    int32_t status = TRM_OK;

    if (pipeline_slot_has_copies(slot, slot->pipeline->engine->input_ports))
        status = wait_for(compute, &slot->device->uploaded, "compute");
    if (status == TRM_OK)
        status = pipeline_record_wait_turn(compute);
    compute->is_separate = true;
    return status == TRM_OK ? pipeline_record_stages(compute) : status;
}

/* Every point is set even after a failure: enqueued operations have to end before the slot is used again. */
static int32_t role_streams_enqueue(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;
    struct roles roles;

    int32_t status = find_streams(slot, &roles);
    if (status != TRM_OK)
        return status;
    struct core_recorder *upload = &roles.recorder[0], *compute = &roles.recorder[1],
                         *download = &roles.recorder[2];

    status = pipeline_finish_point(&own->uploaded, upload->stream, pipeline_record_uploads(upload));
    if (status == TRM_OK)
        status = pipeline_finish_point(&own->processed, compute->stream, record_compute(slot, compute));
    if (status != TRM_OK || !pipeline_slot_has_copies(slot, slot->pipeline->engine->output_ports))
        return pipeline_finish_point(&own->finished, compute->stream, status);
    status = wait_for(download, &own->processed, "download");
    if (status == TRM_OK)
        status = pipeline_record_downloads(download);
    return pipeline_finish_point(&own->finished, download->stream, status);
}

const struct pipeline_strategy_ops pipeline_strategy_role_streams = {
    .strategy = TRM_STRATEGY_ROLE_STREAMS,
    .enqueue  = role_streams_enqueue,
};
