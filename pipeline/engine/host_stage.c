/* Stages on the host.
 *
 * A host stage is a callback of the token's stream, so that later operations wait for it. It takes tokens one
 * at a time in the order in which they were enqueued. With a stream for each slot the callbacks keep that
 * order themselves, so that a failed stream does not fail another. An error is saved for the token; its
 * remaining operations run, and their result is dropped.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/base.h"
#include "core/stream/stream.h"
#include "pipeline/engine/copy.h"
#include "pipeline/engine/port_image.h"
#include "pipeline/engine/range.h"

static _Thread_local struct pipeline_host_calling *innermost;

void pipeline_host_calling_push(struct pipeline_host_calling *inside, const struct pipeline *pipeline)
{
    inside->pipeline = pipeline;
    inside->outer    = innermost;
    innermost        = inside;
}

void pipeline_host_calling_pop(const struct pipeline_host_calling *inside)
{
    innermost = inside->outer;
}

bool pipeline_engine_is_inside(const struct pipeline *pipeline)
{
    const struct pipeline_host_calling *inside = innermost;

    while (inside != NULL && inside->pipeline->front != pipeline)
        inside = inside->outer;
    return inside != NULL;
}

/* ---- turns ---------------------------------------------------------------------------------- */

int32_t pipeline_host_turns_create(struct pipeline *front)
{
    if (front->host != NULL)
        return TRM_OK;
    struct pipeline_host_turns *host = core_allocate(front->object.context, sizeof(*host));
    if (host == NULL)
        return base_fail_memory("making a pipeline");
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->passed, NULL);
    front->host = host;
    return TRM_OK;
}

void pipeline_host_turns_destroy(struct pipeline *front)
{
    struct pipeline_host_turns *host = front->host;

    if (host == NULL)
        return;
    pthread_cond_destroy(&host->passed);
    pthread_mutex_destroy(&host->lock);
    core_free(front->object.context, host, sizeof(*host));
    front->host = NULL;
}

/* At most PIPELINE_DEPTH_MOST tokens are in flight, so 64 bits tell which of them have passed. */
static void pass_locked(struct pipeline_host_turns *host, uint32_t number, uint64_t sequence)
{
    struct pipeline_host_turn *turn = &host->turns[number];

    turn->passed |= PIPELINE_BIT(sequence % 64);
    while (turn->passed & PIPELINE_BIT(turn->next % 64)) {
        turn->passed &= ~PIPELINE_BIT(turn->next % 64);
        turn->next++;
    }
    pthread_cond_broadcast(&host->passed);
}

static void pass(struct pipeline_host_turns *host, uint32_t number, uint64_t sequence)
{
    pthread_mutex_lock(&host->lock);
    pass_locked(host, number, sequence);
    pthread_mutex_unlock(&host->lock);
}

static void wait_for_turn(struct pipeline_host_turns *host, uint32_t number, uint64_t sequence)
{
    pthread_mutex_lock(&host->lock);
    bool must_wait = host->turns[number].next != sequence;
    if (must_wait) {
        core_service_block();
        while (host->turns[number].next != sequence)
            pthread_cond_wait(&host->passed, &host->lock);
        core_service_unblock();
    }
    pthread_mutex_unlock(&host->lock);
}

void pipeline_host_stages_pass(struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;

    for (uint32_t i = own->calls_recorded; i < engine->host_count; i++)
        pass(slot->front->host, i, own->sequence);
    own->calls_recorded = engine->host_count;
}

/* ---- on a service thread -------------------------------------------------------------------- */

static void save_failure(struct pipeline *front, struct pipeline_slot_device *own, int32_t status,
                         const char *name)
{
    if (status > 0)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT,
                           "the stage returned %" PRId32 ", which is not a status", status);
    else
        status = base_fail_program(status);
    base_failure_save(&own->host_failure, pipeline_fail_compute(status, name));
    atomic_store_explicit(&own->host_failed, status, memory_order_release);
    atomic_store(&front->has_lost_work, true);
}

static void run(const struct pipeline_host_call *call)
{
    const struct pipeline *pipeline  = call->slot->pipeline;
    const struct trm_stage *stage    = &pipeline->stages[call->stage];
    struct pipeline_slot_device *own = call->slot->device;
    struct pipeline_host_calling inside;

    atomic_fetch_add_explicit(&own->host_ran, 1, memory_order_relaxed);
    if (call->stage == 0 && own->is_measured)
        own->host_begin = base_now();
    pipeline_host_calling_push(&inside, pipeline);
    base_error_clear();
    pipeline_range_begin(pipeline, pipeline->engine->plans[call->stage].name, own->view.index);
    int32_t status = stage->host(stage->user, &own->view);
    pipeline_range_end(pipeline);
    pipeline_host_calling_pop(&inside);
    if (status != TRM_OK)
        save_failure(call->slot->front, own, status, stage->name);
}

static void called(void *user, int32_t status)
{
    const struct pipeline_host_call *call  = user;
    struct pipeline_host_turns *host       = call->slot->front->host;
    const struct pipeline_slot_device *own = call->slot->device;
    uint32_t number                        = call->slot->pipeline->engine->plans[call->stage].number;
    /* Read before the turn passes: afterwards the slot may belong to another token. */
    uint64_t sequence = own->sequence;

    wait_for_turn(host, number, sequence);
    if (status == TRM_OK && atomic_load_explicit(&own->host_failed, memory_order_relaxed) == TRM_OK)
        run(call);
    pass(host, number, sequence);
}

/* ---- enqueuing ------------------------------------------------------------------------------ */

/* Whether a launch before this stage writes the port. */
static bool is_written(const struct pipeline *pipeline, uint32_t stage, uint32_t port)
{
    for (uint32_t i = 0; i < stage; i++)
        if (pipeline->engine->plans[i].kernel != NULL &&
            (pipeline->engine->plans[i].writes & PIPELINE_BIT(port)))
            return true;
    return false;
}

/* Whether anything after this stage reads the port on the device. */
static bool is_used(const struct pipeline *pipeline, uint32_t stage, uint32_t port)
{
    const struct pipeline_device *engine = pipeline->engine;

    if (engine->output_ports & PIPELINE_BIT(port))
        return true;
    for (uint32_t i = stage + 1; i < pipeline->desc.stage_count; i++)
        if (engine->plans[i].kernel != NULL &&
            ((engine->plans[i].reads | engine->plans[i].writes) & PIPELINE_BIT(port)))
            return true;
    return false;
}

static bool is_elsewhere(const struct pipeline_slot *slot, uint32_t port)
{
    return (slot->pipeline->engine->input_ports & PIPELINE_BIT(port)) &&
           slot->token.data[port] != slot->device->memory[port];
}

/* Where the stage finds a port: an input that no stage writes is where the source left it, anything else is
 * in the slot's own memory. Without copies it is where kernels find it. */
static void *find_data(const struct pipeline_slot *slot, uint32_t port)
{
    const struct pipeline_device *engine   = slot->pipeline->engine;
    const struct pipeline_slot_device *own = slot->device;

    if (!pipeline_port_has_two_sides(engine, port))
        return own->port_memory[port].device == own->device[port] ? own->memory[port]
                                                                  : slot->token.data[port];
    if ((engine->input_ports & PIPELINE_BIT(port)) &&
        !((engine->kernel_writes | engine->host_writes) & PIPELINE_BIT(port)))
        return slot->token.data[port];
    return own->memory[port];
}

static void set_view(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    own->view.index      = slot->token.index;
    own->view.slot       = slot->token.slot;
    own->view.port_count = slot->token.port_count;
    own->view.user       = slot->token.user;
    for (uint32_t i = 0; i < slot->token.port_count; i++) {
        own->view.data[i] = find_data(slot, i);
        own->view.size[i] = slot->token.size[i];
    }
}

void pipeline_host_stages_begin(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    own->calls_recorded = 0;
    if (slot->pipeline->engine->host_count == 0)
        return;
    own->sequence = slot->front->host->sequence++;
    set_view(slot);
}

/* Between the two sides of the slot's own memory. */
static int32_t transfer(const struct core_recorder *recorder, bool upload, uint32_t port)
{
    struct pipeline_slot_device *own = recorder->slot->device;
    uint64_t size                    = recorder->slot->token.size[port];

    struct pipeline_copy copy = pipeline_copy_of_slot(recorder->slot, port);
    int32_t status            = size != 0 ? pipeline_copy_enqueue(recorder->stream, upload, &copy) : TRM_OK;
    if (status == TRM_OK && upload)
        own->bytes_up += size;
    else if (status == TRM_OK)
        own->bytes_down += size;
    return status;
}

static int32_t fetch(const struct core_recorder *recorder, uint32_t stage)
{
    const struct pipeline *pipeline = recorder->slot->pipeline;
    uint64_t reads                  = pipeline->stages[stage].host_reads;
    int32_t status                  = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < pipeline->desc.port_count; i++) {
        if (!(reads & PIPELINE_BIT(i)) || !pipeline_port_has_two_sides(pipeline->engine, i))
            continue;
        bool is_moved = is_elsewhere(recorder->slot, i) &&
                        recorder->slot->device->view.data[i] != recorder->slot->token.data[i];
        if (is_written(pipeline, stage, i) || is_moved)
            status = transfer(recorder, false, i);
    }
    return status;
}

static int32_t bring_back(const struct core_recorder *recorder, uint32_t stage)
{
    const struct pipeline *pipeline = recorder->slot->pipeline;
    uint64_t writes                 = pipeline->stages[stage].host_writes;
    int32_t status                  = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < pipeline->desc.port_count; i++)
        if ((writes & PIPELINE_BIT(i)) && pipeline_port_has_two_sides(pipeline->engine, i) &&
            is_used(pipeline, stage, i))
            status = transfer(recorder, true, i);
    return status;
}

int32_t pipeline_record_host_stage(struct core_recorder *recorder, uint32_t stage)
{
    const struct pipeline_device *engine = recorder->slot->pipeline->engine;
    struct pipeline_slot_device *own     = recorder->slot->device;
    struct pipeline_host_call *call      = &own->calls[engine->plans[stage].number];

    int32_t status = fetch(recorder, stage);
    if (status == TRM_OK)
        status = trm_stream_callback(recorder->stream, called, call);
    if (status != TRM_OK)
        return status;
    own->calls_recorded = engine->plans[stage].number + 1;
    return bring_back(recorder, stage);
}
