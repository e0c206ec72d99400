/* Pipelines: a stream each for upload, compute and download, with points between them. Each of the device's engines gets
 * the tokens in order; a failure of a stream is one of all tokens on it, until it is replaced.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

/* The streams of a token: one of a role that it has nothing for is left out. */
struct roles {
    struct core_put put[3];
};

static int32_t find_streams(struct core_slot *slot, struct roles *roles)
{
    static const int32_t role[3] = {TRM_STREAM_UPLOAD, TRM_STREAM_COMPUTE, TRM_STREAM_DOWNLOAD};
    int32_t status               = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < 3; i++) {
        roles->put[i] = (struct core_put){
            .slot     = slot,
            .sample   = core_times_sample(slot, 0),
            .separate = 1,
        };
        status = core_role_stream(slot->pipeline, role[i], &roles->put[i].stream);
    }
    return status == TRM_OK ? TRM_OK : core_fail_stage(status, "upload");
}

/* What was put before, by the point that it left, comes before what is put next. */
static int32_t wait_for(const struct core_put *put, const struct core_slot_point *point, const char *stage)
{
    int32_t status = trm_stream_wait(put->stream, core_slot_point(point));

    return status == TRM_OK ? TRM_OK : core_fail_stage(status, stage);
}

static int32_t put_compute(struct core_slot *slot, struct core_put *compute)
{
    int32_t status = TRM_OK;

    if (core_put_any(slot, slot->pipeline->engine->input_ports))
        status = wait_for(compute, &slot->device->uploaded, "compute");
    if (status == TRM_OK)
        status = core_put_wait_turn(compute);
    compute->separate = 1;
    return status == TRM_OK ? core_put_stages(compute) : status;
}

/* Each point is set whatever happens: what was put has to end before the slot is used again. */
static int32_t role_streams_enqueue(struct core_slot *slot)
{
    struct core_slot_device *own = slot->device;
    struct roles roles;

    int32_t status = find_streams(slot, &roles);
    if (status != TRM_OK)
        return status;
    struct core_put *upload = &roles.put[0], *compute = &roles.put[1], *download = &roles.put[2];

    status = core_finish_point(&own->uploaded, upload->stream, core_put_uploads(upload));
    if (status == TRM_OK)
        status = core_finish_point(&own->processed, compute->stream, put_compute(slot, compute));
    if (status != TRM_OK || !core_put_any(slot, slot->pipeline->engine->output_ports))
        return core_finish_point(&own->finished, compute->stream, status);
    status = wait_for(download, &own->processed, "download");
    if (status == TRM_OK)
        status = core_put_downloads(download);
    return core_finish_point(&own->finished, download->stream, status);
}

const struct core_strategy_ops core_strategy_role_streams = {
    .strategy = TRM_STRATEGY_ROLE_STREAMS,
    .enqueue  = role_streams_enqueue,
};
