/* The tokens of a slot as a graph that is replayed.
 *
 * A token goes through record_operations.c as if it were enqueued. The first one is recorded. For later ones
 * each operation is compared with the noted one, and updated in the graph where it differs: in size, address
 * or grid. A token with other operations (a port that was empty before, more pieces) is enqueued directly; if
 * that keeps happening the graph is recorded anew.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/graph/create.h"
#include "pipeline/engine/copy.h"

/* Consecutive tokens that do not fit before the graph is recorded anew. */
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
    uint32_t index; /* of the port, stage or event */
    uint32_t node;  /* in the graph */
    bool in_graph;  /* false: an empty operation */
    struct pipeline_copy copy;
    struct trm_grid grid;
    struct trm_argument *arguments; /* the recording's own */
};

struct pipeline_recording {
    struct pipeline_slot *slot;
    struct trm_graph *graph;     /* while it is recorded */
    struct trm_stream *stream;   /* the graph's */
    struct trm_graph_exec *exec; /* NULL: recording failed */
    int32_t mode;
    bool is_misfit;       /* the token's operations differ from the noted ones */
    uint32_t misfits;     /* consecutive such tokens */
    bool is_unrecordable; /* the device or the core cannot record these operations */
    bool uses_regions;    /* memory of a run's source or sink is in it */
    struct step *steps;
    uint32_t count, room, next;
    struct trm_argument *arguments; /* of all launches */
    uint64_t argument_count, argument_room;
};

/* ---- creation and destruction --------------------------------------------------------------- */

static struct core_context *context_of(const struct pipeline_recording *recording)
{
    return recording->slot->pipeline->object.context;
}

/* Drops what was recorded, but not the object. */
static void forget(struct pipeline_recording *recording)
{
    trm_graph_exec_destroy(recording->exec);
    trm_graph_destroy(recording->graph);
    recording->exec           = NULL;
    recording->graph          = NULL;
    recording->stream         = NULL;
    recording->count          = 0;
    recording->argument_count = 0;
    recording->misfits        = 0;
    recording->uses_regions   = false;
}

static void recording_destroy(struct pipeline_recording *recording)
{
    if (recording == NULL)
        return;
    forget(recording);
    core_free(context_of(recording), recording->steps, recording->room * sizeof(*recording->steps));
    core_free(context_of(recording), recording->arguments,
              recording->argument_room * sizeof(*recording->arguments));
    core_free(context_of(recording), recording, sizeof(*recording));
}

static void count_room(struct pipeline_recording *recording)
{
    const struct pipeline *pipeline = recording->slot->pipeline;
    uint64_t pieces = pipeline->engine->pieces.count, arguments = 0;

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++)
        arguments += pipeline->engine->plans[i].argument_count;
    recording->room          = (uint32_t)(pieces * (pipeline->desc.port_count + pipeline->desc.stage_count) +
                                 PIPELINE_SAMPLES_MOST * pipeline_stamps_each(pipeline));
    recording->argument_room = pieces * arguments + 1;
}

static struct pipeline_recording *recording_create(struct pipeline_slot *slot)
{
    struct core_context *context         = slot->pipeline->object.context;
    struct pipeline_recording *recording = core_allocate(context, sizeof(*recording));

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

void pipeline_recordings_drop(struct pipeline_slot *slot)
{
    for (uint32_t i = 0; i < 2; i++) {
        recording_destroy(slot->device->recordings[i]);
        slot->device->recordings[i] = NULL;
    }
}

void pipeline_recordings_forget_regions(struct pipeline_slot *slot)
{
    for (uint32_t i = 0; i < 2; i++)
        if (slot->device->recordings[i] != NULL && slot->device->recordings[i]->uses_regions)
            forget(slot->device->recordings[i]);
}

/* ---- noting and comparing ------------------------------------------------------------------- */

static int32_t misfit(struct pipeline_recording *recording)
{
    recording->is_misfit = true;
    return base_fail_static(TRM_ERROR_UNSUPPORTED, "the token does not fit the recording");
}

static uint32_t nodes_of(const struct pipeline_recording *recording)
{
    uint32_t count = 0;

    trm_graph_node_count(recording->graph, &count);
    return count;
}

/* The next step; NULL where none of this kind was noted. */
static struct step *next_step(struct pipeline_recording *recording, int32_t kind, uint32_t index)
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

static void note_node(const struct pipeline_recording *recording, struct step *step)
{
    step->in_graph = nodes_of(recording) != step->node;
}

/* ---- copies --------------------------------------------------------------------------------- */

static int32_t replace_transfer(const struct pipeline_recording *recording, const struct step *step)
{
    const struct pipeline_copy *copy = &step->copy;
    bool is_upload                   = step->kind == STEP_UPLOAD;

    if (copy->host.buffer == NULL)
        return is_upload ? trm_graph_update_upload(recording->exec, step->node, copy->device, copy->memory)
                         : trm_graph_update_download(recording->exec, step->node, copy->memory, copy->device);
    return is_upload ? trm_graph_update_copy(recording->exec, step->node, copy->device, copy->host)
                     : trm_graph_update_copy(recording->exec, step->node, copy->host, copy->device);
}

static void note_copy(struct pipeline_recording *recording, struct step *step,
                      const struct pipeline_copy *wanted)
{
    const struct pipeline_region *regions = recording->slot->pipeline->engine->regions;
    const struct trm_buffer *host         = wanted->host.buffer;

    step->copy = *wanted;
    if (host != NULL && (host == regions[0].buffer || host == regions[1].buffer))
        recording->uses_regions = true;
}

/* Whether the graph's operation can become the wanted one. That of an image of the backend's cannot. */
static bool can_become(const struct step *step, const struct pipeline_copy *wanted)
{
    if (step->copy.image != NULL || (step->copy.host.buffer == NULL) != (wanted->host.buffer == NULL))
        return false;
    return step->in_graph || wanted->device.length == 0;
}

int32_t pipeline_recording_transfer(struct pipeline_recording *recording, bool upload, uint32_t port)
{
    struct pipeline_copy wanted = pipeline_copy_of(&recording->slot->device->port_memory[port]);
    struct step *step           = next_step(recording, upload ? STEP_UPLOAD : STEP_DOWNLOAD, port);
    if (step == NULL)
        return misfit(recording);

    if (recording->mode == MODE_RECORD) {
        note_copy(recording, step, &wanted);
        int32_t status = pipeline_copy_enqueue(recording->stream, upload, &step->copy);
        note_node(recording, step);
        return status;
    }
    if (pipeline_copy_is_same(&step->copy, &wanted))
        return TRM_OK;
    if (!can_become(step, &wanted))
        return misfit(recording);
    note_copy(recording, step, &wanted);
    if (!step->in_graph)
        return TRM_OK;
    return replace_transfer(recording, step);
}

/* ---- launches and stamps -------------------------------------------------------------------- */

static void note_launch(struct pipeline_recording *recording, struct step *step)
{
    const struct pipeline_slot_device *own = recording->slot->device;
    uint32_t count = recording->slot->pipeline->engine->plans[step->index].argument_count;

    if (step->arguments == NULL) {
        step->arguments = &recording->arguments[recording->argument_count];
        recording->argument_count += count;
    }
    step->grid = own->grids[step->index];
    if (count != 0)
        memcpy(step->arguments, own->arguments[step->index], count * sizeof(*step->arguments));
}

static bool is_launch_of_nothing(const struct trm_grid *grid)
{
    return (grid->groups[0] | grid->groups[1] | grid->groups[2]) == 0;
}

int32_t pipeline_recording_launch(struct pipeline_recording *recording, uint32_t stage)
{
    const struct pipeline_slot_device *own = recording->slot->device;
    const struct pipeline_stage_plan *plan = &recording->slot->pipeline->engine->plans[stage];
    uint32_t count                         = plan->argument_count;
    struct step *step                      = next_step(recording, STEP_LAUNCH, stage);
    if (step == NULL)
        return misfit(recording);

    if (recording->mode == MODE_RECORD) {
        note_launch(recording, step);
        int32_t status = trm_launch(recording->stream, plan->kernel, &step->grid, step->arguments, count);
        note_node(recording, step);
        return status;
    }
    if (memcmp(&step->grid, &own->grids[stage], sizeof(step->grid)) == 0 &&
        (count == 0 || memcmp(step->arguments, own->arguments[stage], count * sizeof(*step->arguments)) == 0))
        return TRM_OK;
    if (!step->in_graph && !is_launch_of_nothing(&own->grids[stage]))
        return misfit(recording);
    note_launch(recording, step);
    if (!step->in_graph)
        return TRM_OK;
    return trm_graph_update_launch(recording->exec, step->node, &step->grid, step->arguments, count);
}

int32_t pipeline_recording_stamp(struct pipeline_recording *recording, uint32_t event)
{
    struct step *step = next_step(recording, STEP_STAMP, event);

    if (step == NULL)
        return misfit(recording);
    if (recording->mode == MODE_COMPARE)
        return TRM_OK;
    int32_t status = trm_event_record(recording->slot->device->events[event], recording->stream);
    note_node(recording, step);
    return status;
}

/* ---- replaying ------------------------------------------------------------------------------ */

static int32_t go_through(struct pipeline_recording *recording, int32_t mode)
{
    struct core_recorder recorder = {
        .slot = recording->slot, .stream = recording->stream, .recording = recording};

    recording->mode      = mode;
    recording->next      = 0;
    recording->is_misfit = false;
    int32_t status       = pipeline_record_token(&recorder);
    if (status == TRM_OK && recording->next != recording->count)
        return misfit(recording);
    return status;
}

static bool is_resident(const struct pipeline_recording *recording)
{
    return recording->slot->pipeline->engine->strategy->strategy == TRM_STRATEGY_RESIDENT;
}

static int32_t record(struct pipeline_recording *recording)
{
    forget(recording);
    int32_t status = core_graph_create(recording->slot->pipeline->device, &recording->graph);
    if (status == TRM_OK)
        status = trm_graph_record(recording->graph, &recording->stream);
    if (status == TRM_OK)
        status = go_through(recording, MODE_RECORD);
    if (status == TRM_OK)
        status = is_resident(recording) ? core_graph_instantiate_resident(recording->graph, &recording->exec)
                                        : trm_graph_instantiate(recording->graph, &recording->exec);
    trm_graph_destroy(recording->graph);
    recording->graph  = NULL;
    recording->stream = NULL;
    if (status != TRM_OK)
        forget(recording);
    return status;
}

/* Resets the counts of going through a token. */
void pipeline_recording_restart(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    own->bytes_up   = 0;
    own->bytes_down = 0;
    if (own->stamped != NULL)
        memset(own->stamped, 0, own->event_count);
}

/* A token that does not fit is enqueued directly; after several of them the graph is recorded anew. Updates
 * made before a misfit was noticed have been noted, so the recording stays valid. */
static int32_t bring_up_to_date(struct pipeline_recording *recording)
{
    if (recording->exec == NULL)
        return record(recording);
    int32_t status = go_through(recording, MODE_COMPARE);
    if (recording->is_misfit && ++recording->misfits >= MISFITS) {
        pipeline_recording_restart(recording->slot);
        return record(recording);
    }
    if (status == TRM_OK)
        recording->misfits = 0;
    else if (!recording->is_misfit)
        forget(recording);
    return status;
}

static int32_t recording_of(struct pipeline_slot *slot, struct pipeline_recording **out)
{
    struct pipeline_recording **recording = &slot->device->recordings[slot->device->samples != 0];

    if (*recording == NULL)
        *recording = recording_create(slot);
    if (*recording == NULL)
        return base_fail_memory("recording a token");
    *out = *recording;
    return TRM_OK;
}

int32_t pipeline_recording_ready(struct pipeline_slot *slot, struct trm_graph_exec **exec)
{
    struct pipeline_recording *recording;

    int32_t status = recording_of(slot, &recording);
    if (status != TRM_OK)
        return status;
    if (recording->is_unrecordable)
        return base_fail_static(TRM_ERROR_UNSUPPORTED, "the token cannot be recorded");
    status = bring_up_to_date(recording);
    if (status == TRM_ERROR_UNSUPPORTED && !recording->is_misfit)
        recording->is_unrecordable = true;
    *exec = recording->exec;
    return status;
}

int32_t pipeline_recording_ready_anew(struct pipeline_slot *slot, struct trm_graph_exec **exec)
{
    struct pipeline_recording *recording;

    int32_t status = recording_of(slot, &recording);
    if (status != TRM_OK)
        return status;
    if (recording->is_unrecordable)
        return base_fail_static(TRM_ERROR_UNSUPPORTED, "the token cannot be recorded with time stamps");
    status = recording->exec != NULL ? go_through(recording, MODE_COMPARE) : record(recording);
    if (recording->is_misfit) {
        pipeline_recording_restart(slot);
        status = record(recording);
    }
    if (status != TRM_OK)
        forget(recording);
    *exec = recording->exec;
    return status;
}

void pipeline_recording_give_up_stamps(struct pipeline_slot *slot)
{
    struct pipeline_recording *recording = slot->device->recordings[1];

    if (recording != NULL)
        recording->is_unrecordable = true;
}
