/* The operations of a token, enqueued on a stream or noted in a recording.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

#include "core/event/event.h"
#include "core/stream/stream.h"
#include "pipeline/engine/away.h"
#include "pipeline/engine/copy.h"
#include "pipeline/engine/range.h"

int32_t pipeline_fail_stage(int32_t status, const char *stage)
{
    return base_fail(status, "%s: %s", stage, trm_last_error().sentence);
}

int32_t pipeline_fail_compute(int32_t status, const char *name)
{
    return base_fail(status, "compute \"%s\": %s", name, trm_last_error().sentence);
}

/* ---- points --------------------------------------------------------------------------------- */

void pipeline_slot_unmark(struct pipeline_slot_point *point)
{
    atomic_store_explicit(&point->stream, NULL, memory_order_release);
    atomic_store_explicit(&point->value, 0, memory_order_release);
}

void pipeline_slot_unmark_lanes(struct pipeline_slot_device *own)
{
    for (uint32_t i = 0; i < PIPELINE_LANES_MOST; i++)
        pipeline_slot_unmark(&own->lane_ends[i]);
}

/* A point that is only observed need not be waitable. */
int32_t pipeline_slot_mark(struct pipeline_slot_point *point, struct trm_stream *handle, bool exact)
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

/* What was enqueued of a token that failed must be waited for, too. */
int32_t pipeline_finish_point(struct pipeline_slot_point *point, struct trm_stream *stream, int32_t status)
{
    struct base_saved_error saved;

    if (status == TRM_OK) {
        status = pipeline_slot_mark(point, stream, true);
        return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "compute");
    }
    base_error_save(&saved);
    pipeline_slot_mark(point, stream, true);
    base_error_restore(&saved);
    return status;
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* A recording is replayed later, inside the token's range. */
static void begin_range(const struct core_recorder *recorder, const char *name)
{
    if (recorder->recording == NULL)
        pipeline_range_begin(recorder->slot->pipeline, name, recorder->slot->token.index);
}

static void end_range(const struct core_recorder *recorder)
{
    if (recorder->recording == NULL)
        pipeline_range_end(recorder->slot->pipeline);
}

/* ---- transfers ------------------------------------------------------------------------------ */

static int32_t record_copy(const struct core_recorder *recorder, bool upload, uint32_t port)
{
    struct pipeline_copy copy = pipeline_copy_of(&recorder->slot->device->port_memory[port]);

    if (recorder->recording != NULL)
        return pipeline_recording_transfer(recorder->recording, upload, port);
    return pipeline_copy_enqueue(recorder->stream, upload, &copy);
}

int32_t pipeline_record_copy(const struct core_recorder *recorder, bool upload, uint32_t port)
{
    struct pipeline_slot_device *own            = recorder->slot->device;
    const struct pipeline_port_memory *location = &own->port_memory[port];

    if (location->length == 0 && recorder->recording == NULL)
        return TRM_OK;
    int32_t status = record_copy(recorder, upload, port);
    if (status == TRM_OK && upload)
        own->bytes_up += location->length;
    else if (status == TRM_OK)
        own->bytes_down += location->length;
    return status;
}

static uint32_t next_port(uint64_t *ports)
{
    uint32_t port = (uint32_t)__builtin_ctzll(*ports);

    *ports &= *ports - 1;
    return port;
}

bool pipeline_slot_has_copies(const struct pipeline_slot *slot, uint64_t ports)
{
    while (ports != 0)
        if (slot->device->port_memory[next_port(&ports)].is_copied)
            return true;
    return false;
}

int32_t pipeline_record_uploads(struct core_recorder *recorder)
{
    const struct pipeline_slot *slot = recorder->slot;
    uint64_t ports                   = slot->pipeline->engine->input_ports;

    if (!pipeline_slot_has_copies(slot, ports))
        return TRM_OK;
    begin_range(recorder, "upload");
    int32_t status = pipeline_times_begin_is_known(recorder)
                         ? TRM_OK
                         : pipeline_record_stamp(recorder, PIPELINE_STAMP_BEGIN);
    while (status == TRM_OK && ports != 0) {
        uint32_t port = next_port(&ports);
        if (slot->device->port_memory[port].is_copied)
            status = pipeline_record_copy(recorder, true, port);
    }
    end_range(recorder);
    if (status == TRM_OK)
        status = pipeline_record_stamp(recorder, PIPELINE_STAMP_UPLOADED);
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "upload");
}

int32_t pipeline_record_downloads(struct core_recorder *recorder)
{
    const struct pipeline_slot *slot = recorder->slot;
    uint64_t ports                   = slot->pipeline->engine->output_ports;
    int32_t status                   = TRM_OK;

    if (!pipeline_slot_has_copies(slot, ports))
        return TRM_OK;
    begin_range(recorder, "download");
    if (recorder->is_separate)
        status = pipeline_record_stamp(recorder, PIPELINE_STAMP_DOWNLOAD);
    while (status == TRM_OK && ports != 0) {
        uint32_t port = next_port(&ports);
        if (slot->device->port_memory[port].is_copied)
            status = pipeline_record_copy(recorder, false, port);
    }
    end_range(recorder);
    if (status == TRM_OK)
        status = pipeline_record_stamp(recorder, PIPELINE_STAMP_END);
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "download");
}

/* ---- stages --------------------------------------------------------------------------------- */

int32_t pipeline_record_stamp(struct core_recorder *recorder, uint32_t stamp)
{
    struct pipeline_slot_device *own = recorder->slot->device;

    if (recorder->sample == UINT32_MAX)
        return TRM_OK;
    uint32_t event      = recorder->sample * pipeline_stamps_each(recorder->slot->pipeline) + stamp;
    own->stamped[event] = 1;
    if (recorder->recording != NULL)
        return pipeline_recording_stamp(recorder->recording, event);
    return core_event_record_time(own->events[event], recorder->stream);
}

/* Notes the number of the launch on its stream, so that a failure can be assigned to it. */
static void note_launch(const struct core_recorder *recorder, uint32_t stage)
{
    const struct core_stream *stream = core_stream_find(recorder->stream);

    if (stream != NULL && recorder->slot->device->pieces == 1)
        recorder->slot->device->launched[stage] =
            atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
}

static int32_t record_launch(const struct core_recorder *recorder, uint32_t stage)
{
    const struct pipeline_slot_device *own = recorder->slot->device;
    const struct pipeline_stage_plan *plan = &recorder->slot->pipeline->engine->plans[stage];

    if (recorder->recording != NULL)
        return pipeline_recording_launch(recorder->recording, stage);
    begin_range(recorder, plan->name);
    int32_t status = trm_launch(recorder->stream, plan->kernel, &own->grids[stage], own->arguments[stage],
                                plan->argument_count);
    end_range(recorder);
    if (status == TRM_OK)
        note_launch(recorder, stage);
    return status;
}

static int32_t record_stage(const struct core_recorder *main, uint32_t stage)
{
    const struct pipeline *pipeline        = main->slot->pipeline;
    const struct pipeline_stage_plan *plan = &pipeline->engine->plans[stage];
    struct core_recorder recorder;

    int32_t status = pipeline_lane_enter(main, stage, &recorder);
    if (status == TRM_OK && plan->prefers != TRM_STAGE_STREAM_ANY)
        status =
            pipeline_record_stamp(&recorder, PIPELINE_STAMP_LAUNCHES + pipeline->desc.stage_count + stage);
    if (status == TRM_OK)
        status = pipeline_away_bring(&recorder, plan);
    if (status == TRM_OK)
        status = plan->kernel != NULL ? record_launch(&recorder, stage)
                                      : pipeline_record_host_stage(&recorder, stage);
    if (status == TRM_OK)
        status = pipeline_away_return(&recorder, plan);
    if (status == TRM_OK && pipeline->desc.stage_count > 1)
        status = pipeline_record_stamp(&recorder, PIPELINE_STAMP_LAUNCHES + stage);
    if (status == TRM_OK)
        status = pipeline_lane_leave(&recorder, stage);
    return status == TRM_OK ? TRM_OK : pipeline_fail_compute(status, plan->name);
}

int32_t pipeline_record_stages(struct core_recorder *recorder)
{
    const struct pipeline *pipeline = recorder->slot->pipeline;
    uint32_t count                  = pipeline->desc.stage_count;
    int32_t status                  = TRM_OK;

    if (recorder->is_separate || !pipeline_slot_has_copies(recorder->slot, pipeline->engine->input_ports))
        status = pipeline_record_stamp(recorder, PIPELINE_STAMP_COMPUTE);
    if (status == TRM_OK)
        status = pipeline_lanes_begin(recorder);
    for (uint32_t i = 0; status == TRM_OK && i < count; i++)
        status = record_stage(recorder, i);
    status = pipeline_lanes_join(recorder, status);
    if (status != TRM_OK)
        return status;
    if (status == TRM_OK)
        status = pipeline_record_stamp(recorder, PIPELINE_STAMP_PROCESSED);
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "compute");
}

/* ---- order ---------------------------------------------------------------------------------- */

int32_t pipeline_record_wait_turn(struct core_recorder *recorder)
{
    const struct pipeline_device *engine = recorder->slot->pipeline->engine;

    if (!engine->in_order || engine->last.stream == NULL || engine->last.stream == recorder->stream)
        return TRM_OK;
    int32_t status        = trm_stream_wait(recorder->stream, engine->last);
    recorder->is_separate = true;
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "compute");
}

struct trm_point pipeline_slot_point(const struct pipeline_slot_point *point)
{
    return (struct trm_point){
        .stream = atomic_load_explicit(&point->stream, memory_order_acquire),
        .value  = atomic_load_explicit(&point->value, memory_order_acquire),
    };
}

/* Operations that were enqueued count, even if the rest could not be. */
void pipeline_slot_pass_turn(struct pipeline_slot *slot)
{
    struct pipeline_device *engine = slot->pipeline->engine;
    struct trm_point processed     = pipeline_slot_point(&slot->device->processed);

    if (!engine->in_order)
        return;
    if (processed.stream == NULL)
        processed = pipeline_slot_point(&slot->device->finished);
    if (processed.stream != NULL)
        engine->last = processed;
}

/* ---- a token -------------------------------------------------------------------------------- */

/* The first piece waits for the previous token and marks the end of its upload. */
static int32_t record_piece(struct core_recorder *recorder, uint32_t piece)
{
    struct pipeline_slot_device *own = recorder->slot->device;
    int32_t status                   = own->pieces == 1 ? TRM_OK : pipeline_piece_set(recorder->slot, piece);

    recorder->sample      = pipeline_times_sample(recorder->slot, piece);
    recorder->is_separate = false;
    if (status == TRM_OK)
        status = pipeline_record_uploads(recorder);
    if (status == TRM_OK && piece == 0 && recorder->recording == NULL) {
        pipeline_slot_mark(&own->uploaded, recorder->stream, false);
        status = pipeline_record_wait_turn(recorder);
    }
    if (status != TRM_OK)
        return status;
    status = pipeline_record_stages(recorder);
    if (status == TRM_OK && piece + 1 == own->pieces && recorder->recording == NULL)
        pipeline_slot_mark(&own->processed, recorder->stream, recorder->slot->pipeline->engine->in_order);
    return status == TRM_OK ? pipeline_record_downloads(recorder) : status;
}

int32_t pipeline_record_token(struct core_recorder *recorder)
{
    struct pipeline_slot_device *own = recorder->slot->device;
    int32_t status                   = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < own->pieces; i++)
        status = record_piece(recorder, i);
    return status;
}
