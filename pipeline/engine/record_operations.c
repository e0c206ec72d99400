/* Pipelines: the operations of a token, put onto a stream or into a recording.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

#include <trireme/transfer.h>

#include "core/stream/stream.h"
#include "pipeline/engine/range.h"

int32_t core_fail_stage(int32_t status, const char *stage)
{
    return base_fail(status, "%s: %s", stage, trm_last_error().sentence);
}

int32_t core_fail_compute(int32_t status, const char *name)
{
    return base_fail(status, "compute \"%s\": %s", name, trm_last_error().sentence);
}

/* ---- points ---------------------------------------------------------------------------------- */

void core_slot_unmark(struct core_slot_point *point)
{
    atomic_store_explicit(&point->stream, NULL, memory_order_release);
    atomic_store_explicit(&point->value, 0, memory_order_release);
}

/* What is only looked at need not be a place that can be waited for precisely. */
int32_t core_slot_mark(struct core_slot_point *point, struct trm_stream *handle, int32_t exact)
{
    uint64_t value             = 0;
    struct core_stream *stream = core_stream_find(handle);
    if (stream == NULL)
        return base_last_status();

    int32_t status = exact ? core_stream_mark(stream, &value) : TRM_OK;
    if (!exact || status != TRM_OK)
        value = atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
    atomic_store_explicit(&point->value, value, memory_order_release);
    atomic_store_explicit(&point->stream, handle, memory_order_release);
    return status;
}

/* Also what could be put of a token that failed is waited for. */
int32_t core_finish_point(struct core_slot_point *point, struct trm_stream *stream, int32_t status)
{
    struct base_saved_error saved;

    if (status == TRM_OK) {
        status = core_slot_mark(point, stream, 1);
        return status == TRM_OK ? TRM_OK : core_fail_stage(status, "compute");
    }
    base_error_save(&saved);
    core_slot_mark(point, stream, 1);
    base_error_restore(&saved);
    return status;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* What is recorded runs later, and within one range: the token's. */
static void begin_range(const struct core_put *put, const char *name)
{
    if (put->recording == NULL)
        core_range_begin(put->slot->pipeline, name, put->slot->token.index);
}

static void end_range(const struct core_put *put)
{
    if (put->recording == NULL)
        core_range_end(put->slot->pipeline);
}

/* ---- transfers ------------------------------------------------------------------------------- */

static struct trm_span device_span(const struct core_port_place *place)
{
    return trm_span_of(place->device, place->device_offset + (place->moves ? place->offset : 0),
                       place->length);
}

static struct trm_span host_span(const struct core_port_place *place)
{
    return trm_span_of(place->host, place->host_offset + place->offset, place->length);
}

static int32_t put_upload(const struct core_put *put, uint32_t port)
{
    const struct core_port_place *place = &put->slot->device->places[port];

    if (put->recording != NULL)
        return core_recording_transfer(put->recording, 1, port);
    if (place->host != NULL)
        return trm_copy(put->stream, device_span(place), host_span(place));
    return trm_upload(put->stream, device_span(place), place->memory + place->offset);
}

static int32_t put_download(const struct core_put *put, uint32_t port)
{
    const struct core_port_place *place = &put->slot->device->places[port];

    if (put->recording != NULL)
        return core_recording_transfer(put->recording, 0, port);
    if (place->host != NULL)
        return trm_copy(put->stream, host_span(place), device_span(place));
    return trm_download(put->stream, place->memory + place->offset, device_span(place));
}

int32_t core_put_port(const struct core_put *put, int32_t upload, uint32_t port)
{
    struct core_slot_device *own        = put->slot->device;
    const struct core_port_place *place = &own->places[port];

    if (place->length == 0 && put->recording == NULL)
        return TRM_OK;
    int32_t status = upload ? put_upload(put, port) : put_download(put, port);
    if (status == TRM_OK && upload)
        own->bytes_up += place->length;
    else if (status == TRM_OK)
        own->bytes_down += place->length;
    return status;
}

static uint32_t next_port(uint64_t *ports)
{
    uint32_t port = (uint32_t)__builtin_ctzll(*ports);

    *ports &= *ports - 1;
    return port;
}

/* Is there anything to copy of these ports? */
int32_t core_put_any(const struct core_slot *slot, uint64_t ports)
{
    while (ports != 0)
        if (slot->device->places[next_port(&ports)].travels)
            return 1;
    return 0;
}

int32_t core_put_uploads(struct core_put *put)
{
    const struct core_slot *slot = put->slot;
    uint64_t ports               = slot->pipeline->engine->input_ports;

    if (!core_put_any(slot, ports))
        return TRM_OK;
    begin_range(put, "upload");
    int32_t status = core_times_begin_is_known(put) ? TRM_OK : core_put_stamp(put, CORE_STAMP_BEGIN);
    while (status == TRM_OK && ports != 0) {
        uint32_t port = next_port(&ports);
        if (slot->device->places[port].travels)
            status = core_put_port(put, 1, port);
    }
    end_range(put);
    if (status == TRM_OK)
        status = core_put_stamp(put, CORE_STAMP_UPLOADED);
    return status == TRM_OK ? TRM_OK : core_fail_stage(status, "upload");
}

int32_t core_put_downloads(struct core_put *put)
{
    const struct core_slot *slot = put->slot;
    uint64_t ports               = slot->pipeline->engine->output_ports;
    int32_t status               = TRM_OK;

    if (!core_put_any(slot, ports))
        return TRM_OK;
    begin_range(put, "download");
    if (put->separate)
        status = core_put_stamp(put, CORE_STAMP_DOWNLOAD);
    while (status == TRM_OK && ports != 0) {
        uint32_t port = next_port(&ports);
        if (slot->device->places[port].travels)
            status = core_put_port(put, 0, port);
    }
    end_range(put);
    if (status == TRM_OK)
        status = core_put_stamp(put, CORE_STAMP_END);
    return status == TRM_OK ? TRM_OK : core_fail_stage(status, "download");
}

/* ---- stages ---------------------------------------------------------------------------------- */

int32_t core_put_stamp(struct core_put *put, uint32_t stamp)
{
    struct core_slot_device *own = put->slot->device;

    if (put->sample == UINT32_MAX)
        return TRM_OK;
    uint32_t event      = put->sample * core_stamps_each(put->slot->pipeline) + stamp;
    own->stamped[event] = 1;
    if (put->recording != NULL)
        return core_recording_stamp(put->recording, event);
    return core_event_record_time(own->events[event], put->stream);
}

/* The number of the launch just put, so that a failure can be told to be its. */
static void note_launch(const struct core_put *put, uint32_t stage)
{
    const struct core_stream *stream = core_stream_find(put->stream);

    if (stream != NULL && put->slot->device->pieces == 1)
        put->slot->device->launched[stage] = atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
}

static int32_t put_launch(const struct core_put *put, uint32_t stage)
{
    const struct core_slot_device *own = put->slot->device;
    const struct core_stage_plan *plan = &put->slot->pipeline->engine->plans[stage];

    if (put->recording != NULL)
        return core_recording_launch(put->recording, stage);
    begin_range(put, plan->name);
    int32_t status = trm_launch(put->stream, plan->kernel, &own->grids[stage], own->arguments[stage],
                                plan->argument_count);
    end_range(put);
    if (status == TRM_OK)
        note_launch(put, stage);
    return status;
}

int32_t core_put_stages(struct core_put *put)
{
    const struct core_pipeline *pipeline = put->slot->pipeline;
    uint32_t count                       = pipeline->desc.stage_count;
    int32_t status                       = TRM_OK;

    if (put->separate || !core_put_any(put->slot, pipeline->engine->input_ports))
        status = core_put_stamp(put, CORE_STAMP_COMPUTE);
    for (uint32_t i = 0; status == TRM_OK && i < count; i++) {
        const struct core_stage_plan *plan = &pipeline->engine->plans[i];
        status = plan->kernel != NULL ? put_launch(put, i) : core_host_stage_put(put, i);
        if (status == TRM_OK && count > 1)
            status = core_put_stamp(put, CORE_STAMP_LAUNCHES + i);
        if (status != TRM_OK)
            return core_fail_compute(status, plan->name);
    }
    if (status == TRM_OK)
        status = core_put_stamp(put, CORE_STAMP_PROCESSED);
    return status == TRM_OK ? TRM_OK : core_fail_stage(status, "compute");
}

/* ---- order ----------------------------------------------------------------------------------- */

int32_t core_put_wait_turn(struct core_put *put)
{
    const struct core_pipeline_device *engine = put->slot->pipeline->engine;

    if (!engine->in_order || engine->last.stream == NULL || engine->last.stream == put->stream)
        return TRM_OK;
    int32_t status = trm_stream_wait(put->stream, engine->last);
    put->separate  = 1;
    return status == TRM_OK ? TRM_OK : core_fail_stage(status, "compute");
}

struct trm_point core_slot_point(const struct core_slot_point *point)
{
    return (struct trm_point){
        .stream = atomic_load_explicit(&point->stream, memory_order_acquire),
        .value  = atomic_load_explicit(&point->value, memory_order_acquire),
    };
}

/* What of it could be put counts, even if the rest could not. */
void core_put_pass_turn(struct core_slot *slot)
{
    struct core_pipeline_device *engine = slot->pipeline->engine;
    struct trm_point processed          = core_slot_point(&slot->device->processed);

    if (!engine->in_order)
        return;
    if (processed.stream == NULL)
        processed = core_slot_point(&slot->device->finished);
    if (processed.stream != NULL)
        engine->last = processed;
}

/* ---- a token --------------------------------------------------------------------------------- */

/* One piece. The first one waits for the token before, and tells when an upload has come in. */
static int32_t put_piece(struct core_put *put, uint32_t piece)
{
    struct core_slot_device *own = put->slot->device;
    int32_t status               = own->pieces == 1 ? TRM_OK : core_piece_set(put->slot, piece);

    put->sample   = core_times_sample(put->slot, piece);
    put->separate = 0;
    if (status == TRM_OK)
        status = core_put_uploads(put);
    if (status == TRM_OK && piece == 0 && put->recording == NULL) {
        core_slot_mark(&own->uploaded, put->stream, 0);
        status = core_put_wait_turn(put);
    }
    if (status != TRM_OK)
        return status;
    status = core_put_stages(put);
    if (status == TRM_OK && piece + 1 == own->pieces && put->recording == NULL)
        core_slot_mark(&own->processed, put->stream, put->slot->pipeline->engine->in_order);
    return status == TRM_OK ? core_put_downloads(put) : status;
}

int32_t core_put_token(struct core_put *put)
{
    struct core_slot_device *own = put->slot->device;
    int32_t status               = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < own->pieces; i++)
        status = put_piece(put, i);
    return status;
}
