/* Pipelines: the operations of a slot's tokens as a graph that is replayed.
 *
 * A token goes through the same put.c as one that is put on a stream. The first one is written down; for later ones each
 * operation is compared with the one noted, and replaced in the graph where it differs: another size, another place of the
 * source's, another grid. A token whose operations are others (a port that was empty before, more pieces) is put
 * directly, and when that goes on the graph is made anew.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/transfer.h>

#include "pipeline/engine/engine_internal.h"

/* So many tokens in a row that do not fit make a new recording worth its while. */
#define MISFITS 2

enum mode {
    MODE_RECORD,
    MODE_COMPARE
};

enum step_kind {
    STEP_UPLOAD,
    STEP_DOWNLOAD,
    STEP_LAUNCH,
    STEP_STAMP
};

/* One operation as it is in the graph. */
struct step {
    int32_t kind;
    uint32_t index;    /* of the port, stage or event */
    uint32_t node;     /* in the graph */
    uint32_t in_graph; /* 0: it does nothing */
    struct trm_span device, host;
    unsigned char *memory;
    struct trm_grid grid;
    struct trm_argument *arguments; /* the recording's own */
};

struct core_recording {
    struct core_slot *slot;
    struct trm_graph *graph;     /* while it is made */
    struct trm_stream *stream;   /* the graph's */
    struct trm_graph_exec *exec; /* NULL: it could not be made */
    int32_t mode;
    int32_t misfit;    /* 1: the token's operations are not those noted */
    uint32_t misfits;  /* such tokens in a row */
    uint32_t hopeless; /* 1: the device or the core cannot record these operations */
    uint32_t regions;  /* 1: memory of a run is in it */
    struct step *steps;
    uint32_t count, room, next;
    struct trm_argument *arguments; /* of all launches */
    uint64_t argument_count, argument_room;
};

/* ---- the ends of life ------------------------------------------------------------------------ */

static struct core_context *context_of(const struct core_recording *recording)
{
    return recording->slot->pipeline->object.context;
}

/* What was recorded, but not the object itself. */
static void forget(struct core_recording *recording)
{
    trm_graph_exec_destroy(recording->exec);
    trm_graph_destroy(recording->graph);
    recording->exec           = NULL;
    recording->graph          = NULL;
    recording->stream         = NULL;
    recording->count          = 0;
    recording->argument_count = 0;
    recording->misfits        = 0;
    recording->regions        = 0;
}

static void recording_destroy(struct core_recording *recording)
{
    if (recording == NULL)
        return;
    forget(recording);
    core_free(context_of(recording), recording->steps, recording->room * sizeof(*recording->steps));
    core_free(context_of(recording), recording->arguments,
              recording->argument_room * sizeof(*recording->arguments));
    core_free(context_of(recording), recording, sizeof(*recording));
}

static void count_room(struct core_recording *recording)
{
    const struct core_pipeline *pipeline = recording->slot->pipeline;
    uint64_t pieces = pipeline->engine->pieces.count, arguments = 0;

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++)
        arguments += pipeline->engine->plans[i].argument_count;
    recording->room          = (uint32_t)(pieces * (pipeline->desc.port_count + pipeline->desc.stage_count) +
                                 CORE_SAMPLES_MOST * core_stamps_each(pipeline));
    recording->argument_room = pieces * arguments + 1;
}

static struct core_recording *recording_create(struct core_slot *slot)
{
    struct core_context *context     = slot->pipeline->object.context;
    struct core_recording *recording = core_allocate(context, sizeof(*recording));

    if (recording == NULL)
        return NULL;
    recording->slot = slot;
    count_room(recording);
    recording->steps     = core_allocate(context, recording->room * sizeof(*recording->steps));
    recording->arguments = core_allocate(context, recording->argument_room * sizeof(*recording->arguments));
    if (recording->steps != NULL && recording->arguments != NULL)
        return recording;
    recording_destroy(recording);
    return NULL;
}

void core_recordings_drop(struct core_slot *slot)
{
    for (uint32_t i = 0; i < 2; i++) {
        recording_destroy(slot->device->recordings[i]);
        slot->device->recordings[i] = NULL;
    }
}

void core_recordings_forget_regions(struct core_slot *slot)
{
    for (uint32_t i = 0; i < 2; i++)
        if (slot->device->recordings[i] != NULL && slot->device->recordings[i]->regions)
            forget(slot->device->recordings[i]);
}

/* ---- noting and comparing -------------------------------------------------------------------- */

static int32_t misfit(struct core_recording *recording)
{
    recording->misfit = 1;
    return base_fail_static(TRM_ERROR_UNSUPPORTED, "the token is not the one that was recorded");
}

static uint32_t nodes_of(const struct core_recording *recording)
{
    uint32_t count = 0;

    trm_graph_node_count(recording->graph, &count);
    return count;
}

/* The step that comes next; NULL where none was noted of this kind. */
static struct step *next_step(struct core_recording *recording, int32_t kind, uint32_t index)
{
    struct step *step = &recording->steps[recording->next];

    if (recording->mode == MODE_RECORD) {
        if (recording->count == recording->room)
            return NULL;
        recording->count++;
        *step = (struct step){.kind = kind, .index = index, .node = nodes_of(recording)};
    } else if (recording->next == recording->count || step->kind != kind || step->index != index) {
        return NULL;
    }
    recording->next++;
    return step;
}

static void noted(const struct core_recording *recording, struct step *step)
{
    step->in_graph = nodes_of(recording) != step->node;
}

static int same_span(const struct trm_span *a, const struct trm_span *b)
{
    return a->buffer == b->buffer && a->offset == b->offset && a->length == b->length;
}

static int same_transfer(const struct step *a, const struct step *b)
{
    return same_span(&a->device, &b->device) && same_span(&a->host, &b->host) && a->memory == b->memory;
}

/* ---- transfers ------------------------------------------------------------------------------- */

static struct step transfer_of(const struct core_port_place *place)
{
    struct step wanted = {
        .device = trm_span_of(place->device, place->device_offset + (place->moves ? place->offset : 0),
                              place->length),
    };

    if (place->host != NULL)
        wanted.host = trm_span_of(place->host, place->host_offset + place->offset, place->length);
    else
        wanted.memory = place->memory + place->offset;
    return wanted;
}

static int32_t record_transfer(const struct core_recording *recording, const struct step *step)
{
    if (step->host.buffer == NULL)
        return step->kind == STEP_UPLOAD ? trm_upload(recording->stream, step->device, step->memory)
                                         : trm_download(recording->stream, step->memory, step->device);
    return step->kind == STEP_UPLOAD ? trm_copy(recording->stream, step->device, step->host)
                                     : trm_copy(recording->stream, step->host, step->device);
}

static int32_t replace_transfer(const struct core_recording *recording, const struct step *step)
{
    if (step->host.buffer == NULL)
        return step->kind == STEP_UPLOAD
                   ? trm_graph_update_upload(recording->exec, step->node, step->device, step->memory)
                   : trm_graph_update_download(recording->exec, step->node, step->memory, step->device);
    return step->kind == STEP_UPLOAD
               ? trm_graph_update_copy(recording->exec, step->node, step->device, step->host)
               : trm_graph_update_copy(recording->exec, step->node, step->host, step->device);
}

static void take_transfer(struct core_recording *recording, struct step *step, const struct step *wanted)
{
    const struct core_region *regions = recording->slot->pipeline->engine->regions;

    step->device = wanted->device;
    step->host   = wanted->host;
    step->memory = wanted->memory;
    if (step->host.buffer != NULL &&
        (step->host.buffer == regions[0].buffer || step->host.buffer == regions[1].buffer))
        recording->regions = 1;
}

int32_t core_recording_transfer(struct core_recording *recording, int32_t upload, uint32_t port)
{
    struct step wanted = transfer_of(&recording->slot->device->places[port]);
    struct step *step  = next_step(recording, upload ? STEP_UPLOAD : STEP_DOWNLOAD, port);
    if (step == NULL)
        return misfit(recording);

    if (recording->mode == MODE_RECORD) {
        take_transfer(recording, step, &wanted);
        int32_t status = record_transfer(recording, step);
        noted(recording, step);
        return status;
    }
    if (same_transfer(step, &wanted))
        return TRM_OK;
    if ((step->host.buffer == NULL) != (wanted.host.buffer == NULL) ||
        (!step->in_graph && wanted.device.length != 0))
        return misfit(recording);
    take_transfer(recording, step, &wanted);
    if (!step->in_graph)
        return TRM_OK;
    return replace_transfer(recording, step);
}

/* ---- launches and stamps --------------------------------------------------------------------- */

static void take_launch(struct core_recording *recording, struct step *step)
{
    const struct core_slot_device *own = recording->slot->device;
    uint32_t count                     = recording->slot->pipeline->engine->plans[step->index].argument_count;

    if (step->arguments == NULL) {
        step->arguments = &recording->arguments[recording->argument_count];
        recording->argument_count += count;
    }
    step->grid = own->grids[step->index];
    if (count != 0)
        memcpy(step->arguments, own->arguments[step->index], count * sizeof(*step->arguments));
}

static int is_launch_of_nothing(const struct trm_grid *grid)
{
    return (grid->groups[0] | grid->groups[1] | grid->groups[2]) == 0;
}

int32_t core_recording_launch(struct core_recording *recording, uint32_t stage)
{
    const struct core_slot_device *own = recording->slot->device;
    const struct core_stage_plan *plan = &recording->slot->pipeline->engine->plans[stage];
    uint32_t count                     = plan->argument_count;
    struct step *step                  = next_step(recording, STEP_LAUNCH, stage);
    if (step == NULL)
        return misfit(recording);

    if (recording->mode == MODE_RECORD) {
        take_launch(recording, step);
        int32_t status = trm_launch(recording->stream, plan->kernel, &step->grid, step->arguments, count);
        noted(recording, step);
        return status;
    }
    if (memcmp(&step->grid, &own->grids[stage], sizeof(step->grid)) == 0 &&
        (count == 0 || memcmp(step->arguments, own->arguments[stage], count * sizeof(*step->arguments)) == 0))
        return TRM_OK;
    if (!step->in_graph && !is_launch_of_nothing(&own->grids[stage]))
        return misfit(recording);
    take_launch(recording, step);
    if (!step->in_graph)
        return TRM_OK;
    return trm_graph_update_launch(recording->exec, step->node, &step->grid, step->arguments, count);
}

int32_t core_recording_stamp(struct core_recording *recording, uint32_t event)
{
    struct step *step = next_step(recording, STEP_STAMP, event);

    if (step == NULL)
        return misfit(recording);
    if (recording->mode == MODE_COMPARE)
        return TRM_OK;
    int32_t status = trm_event_record(recording->slot->device->events[event], recording->stream);
    noted(recording, step);
    return status;
}

/* ---- replaying ------------------------------------------------------------------------------- */

static int32_t go_through(struct core_recording *recording, int32_t mode)
{
    struct core_put put = {.slot = recording->slot, .stream = recording->stream, .recording = recording};

    recording->mode   = mode;
    recording->next   = 0;
    recording->misfit = 0;
    int32_t status    = core_put_token(&put);
    if (status == TRM_OK && recording->next != recording->count)
        return misfit(recording);
    return status;
}

static int32_t record(struct core_recording *recording)
{
    forget(recording);
    int32_t status = trm_graph_create(recording->slot->pipeline->engine->device, &recording->graph);
    if (status == TRM_OK)
        status = trm_graph_record(recording->graph, &recording->stream);
    if (status == TRM_OK)
        status = go_through(recording, MODE_RECORD);
    if (status == TRM_OK)
        status = trm_graph_instantiate(recording->graph, &recording->exec);
    trm_graph_destroy(recording->graph);
    recording->graph  = NULL;
    recording->stream = NULL;
    if (status != TRM_OK)
        forget(recording);
    return status;
}

/* What going through a token once has counted. */
void core_recording_restart(struct core_slot *slot)
{
    struct core_slot_device *own = slot->device;

    own->bytes_up   = 0;
    own->bytes_down = 0;
    if (own->stamped != NULL)
        memset(own->stamped, 0, own->event_count);
}

/* A token that does not fit is put directly; when several do not, what was recorded has had its day. What was replaced
 * before a misfit showed has been noted, so the recording stays good. */
static int32_t bring_up_to_date(struct core_recording *recording)
{
    if (recording->exec == NULL)
        return record(recording);
    int32_t status = go_through(recording, MODE_COMPARE);
    if (recording->misfit && ++recording->misfits >= MISFITS) {
        core_recording_restart(recording->slot);
        return record(recording);
    }
    if (status == TRM_OK)
        recording->misfits = 0;
    else if (!recording->misfit)
        forget(recording);
    return status;
}

int32_t core_recording_ready(struct core_slot *slot, struct trm_graph_exec **exec)
{
    struct core_recording **recording = &slot->device->recordings[slot->device->measured != 0];

    if (*recording == NULL)
        *recording = recording_create(slot);
    if (*recording == NULL)
        return base_fail_memory("recording a token");
    if ((*recording)->hopeless)
        return base_fail_static(TRM_ERROR_UNSUPPORTED, "the token cannot be recorded");
    int32_t status = bring_up_to_date(*recording);
    if (status == TRM_ERROR_UNSUPPORTED && !(*recording)->misfit)
        (*recording)->hopeless = 1;
    *exec = (*recording)->exec;
    return status;
}
