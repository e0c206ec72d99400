/* The ways copies and host: chunks of all tasks on their way through three streams of each device.
 *
 *     in        brings the sources of a chunk into the scratch memory of the task's device
 *     compute   combines them
 *     out       takes the result to the other devices
 *
 * With the way host, a source goes out of its device into pinned memory and from there in, and so does a
 * result. Results are sent a few chunks later than they are enqueued to be combined, so that the streams do
 * not wait for each other chunk by chunk.
 *
 * A task's range is touched by its own chunks alone, so an output may be an input: a result is sent after all
 * sources of its chunk have been read.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/collective.h"

#define CHUNK (UINT64_C(2) << 20)
#define LEAST_CHUNK (UINT64_C(4) << 10)

typedef struct pipeline_relay_slot slot_t;

/* A call under way. */
struct run {
    struct pipeline_collective *collective;
    const struct pipeline_call *call;
    bool is_host;
};

/* ---- streams and memory --------------------------------------------------------------------- */

static bool is_usable(struct trm_stream *stream)
{
    if (stream == NULL)
        return false;
    int32_t status = trm_stream_query(stream);
    return status == TRM_OK || status == TRM_ERROR_TIMEOUT;
}

static bool has_failed(const struct trm_stream *handle)
{
    const struct core_stream *stream = core_object_find(handle, CORE_STREAM);
    return stream == NULL || core_stream_failure_status(stream) != TRM_OK;
}

/* A stream of the program that has failed lets those fail that wait for it, soon. Waits until it is known
 * which of them have. */
static void settle_failures(struct pipeline_collective *collective)
{
    bool is_suspect = false;

    for (uint32_t d = 0; d < collective->devices; d++)
        is_suspect = is_suspect || (collective->relayed[d] != NULL && has_failed(collective->relayed[d]));
    for (uint32_t d = 0; is_suspect && d < collective->devices; d++) {
        trm_stream_sync(collective->relays[d].in);
        trm_stream_sync(collective->relays[d].compute);
        trm_stream_sync(collective->relays[d].out);
        collective->relayed[d] = NULL;
    }
    base_error_clear();
}

/* A failed stream stays failed, so a new one takes its place. */
static int32_t get_stream(struct trm_device *device, int32_t role, struct trm_stream **stream)
{
    if (is_usable(*stream))
        return TRM_OK;
    trm_stream_destroy(*stream);
    *stream = NULL;
    return trm_stream_create(device, role, TRM_PRIORITY_NORMAL, stream);
}

static int32_t get_streams(struct trm_device *device, struct pipeline_relay *relay)
{
    int32_t status = get_stream(device, TRM_STREAM_UPLOAD, &relay->in);

    if (status == TRM_OK)
        status = get_stream(device, TRM_STREAM_COMPUTE, &relay->compute);
    if (status == TRM_OK)
        status = get_stream(device, TRM_STREAM_DOWNLOAD, &relay->out);
    return status;
}

/* Work that is under way keeps the memory that is replaced. */
static int32_t get_memory(struct trm_device *device, int32_t kind, uint64_t chunk, uint32_t devices,
                          struct trm_buffer **buffer, uint64_t *has)
{
    struct trm_buffer *made;

    if (*buffer != NULL && *has >= chunk)
        return TRM_OK;
    int32_t status = trm_buffer_create(device, kind, chunk * (devices + 1) * PIPELINE_RELAY_SLOTS, &made);
    if (status != TRM_OK)
        return status;
    trm_buffer_destroy(*buffer);
    *buffer = made;
    *has    = chunk;
    return TRM_OK;
}

static uint64_t chunk_for(const struct pipeline_call *call)
{
    uint64_t chunk = LEAST_CHUNK;

    while (chunk < CHUNK && chunk < call->bytes)
        chunk *= 2;
    return chunk;
}

/* After a failure the points of the old streams are gone. */
static void forget_points(struct pipeline_collective *collective)
{
    for (uint32_t d = 0; d < collective->devices; d++)
        for (uint32_t i = 0; i < PIPELINE_RELAY_SLOTS; i++)
            collective->relays[d].slots[i] = (slot_t){.is_open = false};
    collective->item_count = 0;
}

int32_t pipeline_relay_prepare(struct pipeline_collective *collective, const struct pipeline_call *call,
                               bool is_host)
{
    uint64_t chunk = chunk_for(call);
    bool is_intact = true;
    int32_t status = TRM_OK;

    settle_failures(collective);
    for (uint32_t d = 0; d < collective->devices; d++) {
        const struct pipeline_relay *relay = &collective->relays[d];
        is_intact = is_intact && is_usable(relay->in) && is_usable(relay->compute) && is_usable(relay->out);
    }
    base_error_clear();
    for (uint32_t d = 0; status == TRM_OK && d < collective->devices; d++) {
        struct trm_device *device    = collective->group->held[d];
        struct pipeline_relay *relay = &collective->relays[d];
        status                       = get_streams(device, relay);
        if (status == TRM_OK)
            status = get_memory(device, TRM_MEMORY_DEVICE, chunk, collective->devices, &relay->scratch,
                                &relay->chunk);
        if (status == TRM_OK && is_host)
            status = get_memory(device, TRM_MEMORY_PINNED, chunk, collective->devices, &relay->staging,
                                &relay->staging_chunk);
        if (status != TRM_OK)
            status = pipeline_group_fail(collective->group, d, status);
    }
    if (!is_intact || status != TRM_OK)
        forget_points(collective);
    return status;
}

void pipeline_relay_fini(struct pipeline_relay *relay)
{
    trm_stream_destroy(relay->in);
    trm_stream_destroy(relay->compute);
    trm_stream_destroy(relay->out);
    trm_buffer_destroy(relay->scratch);
    trm_buffer_destroy(relay->staging);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int32_t wait_for(struct trm_stream *stream, struct trm_point point)
{
    return point.stream == NULL || point.stream == stream ? TRM_OK : trm_stream_wait(stream, point);
}

/* Place `index` in the memory of a slot: of the source from device `index`, or of the result. */
static struct trm_span place_in(struct trm_buffer *buffer, uint64_t chunk, uint32_t devices, uint32_t slot,
                                uint32_t index, uint64_t bytes)
{
    return trm_span_of(buffer, chunk * (slot * (uint64_t)(devices + 1) + index), bytes);
}

static struct trm_span scratch_of(const struct run *run, const struct pipeline_relay_item *item,
                                  uint32_t index)
{
    const struct pipeline_relay *relay = &run->collective->relays[item->task.device];
    return place_in(relay->scratch, relay->chunk, run->call->devices, item->slot_index, index,
                    item->task.bytes);
}

static struct trm_span staging_of(const struct run *run, const struct pipeline_relay_item *item,
                                  uint32_t index)
{
    const struct pipeline_relay *relay = &run->collective->relays[item->task.device];
    return place_in(relay->staging, relay->staging_chunk, run->call->devices, item->slot_index, index,
                    item->task.bytes);
}

static bool kernels_take(const struct run *run, const struct pipeline_task_range *task, struct trm_span span)
{
    return span.offset % run->collective->group->devices[task->device]->limits.buffer_alignment == 0;
}

/* Brings one source to `destination` on the task's device. */
static int32_t bring(const struct run *run, struct pipeline_relay_item *item, uint32_t index,
                     struct trm_span destination)
{
    struct pipeline_relay *relays = run->collective->relays;
    struct pipeline_relay *local  = &relays[item->task.device];
    uint32_t from                 = item->task.source_devices[index];
    struct trm_span source        = item->task.sources[index];
    struct trm_point point;

    if (!run->is_host || from == item->task.device)
        return trm_copy(local->in, destination, source);
    struct trm_span staging = staging_of(run, item, from);
    int32_t status          = wait_for(relays[from].out, item->slot->in_done);
    if (status == TRM_OK)
        status = trm_copy(relays[from].out, staging, source);
    if (status == TRM_OK)
        status = trm_stream_mark(relays[from].out, &point);
    if (status == TRM_OK)
        status = trm_stream_wait(local->in, point);
    return status == TRM_OK ? trm_copy(local->in, destination, staging) : status;
}

/* Brings all sources to where the task's device combines them, and lets the task name those places. */
static int32_t bring_all(const struct run *run, struct pipeline_relay_item *item)
{
    struct pipeline_relay *relay             = &run->collective->relays[item->task.device];
    struct trm_span places[PIPELINE_DEVICES] = {0};
    int32_t status                           = wait_for(relay->in, item->slot->compute_done);

    for (uint32_t i = 0; status == TRM_OK && i < item->task.source_count; i++) {
        bool is_local = item->task.source_devices[i] == item->task.device;
        places[i]     = item->task.sources[i];
        if (is_local && kernels_take(run, &item->task, places[i]))
            continue;
        places[i] = scratch_of(run, item, i);
        status    = bring(run, item, i, places[i]);
    }
    if (status == TRM_OK)
        status = trm_stream_mark(relay->in, &item->slot->in_done);
    for (uint32_t i = 0; status == TRM_OK && i < item->task.source_count; i++)
        item->task.sources[i] = places[i];
    return status;
}

/* Where the task's device writes the result: an output of its own, else scratch memory. */
static struct trm_span result_of(const struct run *run, const struct pipeline_relay_item *item)
{
    const struct pipeline_task_range *task = &item->task;

    for (uint32_t i = 0; i < task->target_count; i++)
        if (task->target_devices[i] == task->device && kernels_take(run, task, task->targets[i]))
            return task->targets[i];
    return scratch_of(run, item, run->call->devices);
}

static int32_t combine(const struct run *run, struct pipeline_relay_item *item)
{
    struct pipeline_relay *relay   = &run->collective->relays[item->task.device];
    struct pipeline_task_range one = item->task;

    item->result     = result_of(run, item);
    one.targets[0]   = item->result;
    one.target_count = 1;
    int32_t status   = wait_for(relay->compute, item->slot->in_done);
    if (status == TRM_OK)
        status = wait_for(relay->compute, item->slot->out_done);
    if (status == TRM_OK)
        status = pipeline_reduce_enqueue(run->collective, run->call, &one, relay->compute,
                                         scratch_of(run, item, run->call->devices));
    return status == TRM_OK ? trm_stream_mark(relay->compute, &item->slot->compute_done) : status;
}

/* ---- sending a result ----------------------------------------------------------------------- */

static bool is_result(const struct pipeline_relay_item *item, uint32_t target)
{
    const struct trm_span *span = &item->task.targets[target];
    return span->buffer == item->result.buffer && span->offset == item->result.offset;
}

/* Takes the result out of staging memory on the device that gets it. */
static int32_t take(const struct run *run, struct pipeline_relay_item *item, uint32_t index,
                    struct trm_point point)
{
    uint32_t to                  = item->task.target_devices[index];
    struct pipeline_relay *relay = &run->collective->relays[to];

    int32_t status = trm_stream_wait(relay->in, point);
    if (status == TRM_OK)
        status = trm_copy(relay->in, item->task.targets[index], staging_of(run, item, run->call->devices));
    return status == TRM_OK ? trm_stream_mark(relay->in, &item->slot->taken[to]) : status;
}

static int32_t send_staged(const struct run *run, struct pipeline_relay_item *item)
{
    struct pipeline_relay *relay = &run->collective->relays[item->task.device];
    struct trm_point point;
    int32_t status = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < run->call->devices; d++)
        status = wait_for(relay->out, item->slot->taken[d]);
    if (status == TRM_OK)
        status = trm_copy(relay->out, staging_of(run, item, run->call->devices), item->result);
    if (status == TRM_OK)
        status = trm_stream_mark(relay->out, &point);
    for (uint32_t i = 0; status == TRM_OK && i < item->task.target_count; i++)
        if (item->task.target_devices[i] != item->task.device)
            status = take(run, item, i, point);
    return status;
}

static bool has_foreign_target(const struct pipeline_task_range *task)
{
    for (uint32_t i = 0; i < task->target_count; i++)
        if (task->target_devices[i] != task->device)
            return true;
    return false;
}

static int32_t send(const struct run *run, struct pipeline_relay_item *item)
{
    struct pipeline_relay *relay = &run->collective->relays[item->task.device];
    int32_t status               = wait_for(relay->out, item->slot->compute_done);

    for (uint32_t i = 0; status == TRM_OK && i < item->task.target_count; i++)
        if (!is_result(item, i) && (!run->is_host || item->task.target_devices[i] == item->task.device))
            status = trm_copy(relay->out, item->task.targets[i], item->result);
    if (status == TRM_OK && run->is_host && has_foreign_target(&item->task))
        status = send_staged(run, item);
    if (status == TRM_OK)
        status = trm_stream_mark(relay->out, &item->slot->out_done);
    item->slot->is_open = false;
    return status;
}

static int32_t send_oldest(const struct run *run)
{
    struct pipeline_collective *collective = run->collective;
    struct pipeline_relay_item *item       = &collective->items[collective->first_item];

    collective->first_item = (collective->first_item + 1) % PIPELINE_RELAY_ITEMS;
    collective->item_count--;
    return send(run, item);
}

/* ---- chunks --------------------------------------------------------------------------------- */

static void take_slot(const struct run *run, struct pipeline_relay_item *item)
{
    struct pipeline_relay *relay = &run->collective->relays[item->task.device];

    item->slot_index = relay->next;
    item->slot       = &relay->slots[relay->next];
    relay->next      = (relay->next + 1) % PIPELINE_RELAY_SLOTS;
}

/* A copy to the task's device, with nothing to combine. */
static int32_t enqueue_copy(const struct run *run, struct pipeline_relay_item *item)
{
    struct pipeline_relay *relay = &run->collective->relays[item->task.device];

    int32_t status = bring(run, item, 0, item->task.targets[0]);
    return status == TRM_OK ? trm_stream_mark(relay->in, &item->slot->in_done) : status;
}

static int32_t enqueue_chunk(const struct run *run, const struct pipeline_task_range *chunk)
{
    struct pipeline_collective *collective = run->collective;
    uint32_t most                          = 2 * collective->devices;
    int32_t status                         = TRM_OK;

    while (status == TRM_OK &&
           (collective->item_count >= most ||
            collective->relays[chunk->device].slots[collective->relays[chunk->device].next].is_open))
        status = send_oldest(run);
    if (status != TRM_OK)
        return status;
    uint32_t place = (collective->first_item + collective->item_count) % PIPELINE_RELAY_ITEMS;
    struct pipeline_relay_item *item = &collective->items[place];
    item->task                       = *chunk;
    take_slot(run, item);
    if (chunk->source_count == 1)
        return enqueue_copy(run, item);
    status = bring_all(run, item);
    if (status == TRM_OK)
        status = combine(run, item);
    if (status != TRM_OK)
        return status;
    item->slot->is_open = true;
    collective->item_count++;
    return TRM_OK;
}

/* Chunk number `index` of a task; false when there are not so many. */
static bool cut(const struct pipeline_task_range *task, uint64_t chunk, uint64_t index,
                struct pipeline_task_range *piece)
{
    uint64_t at = index * chunk;

    if (at >= task->bytes)
        return false;
    *piece       = *task;
    piece->bytes = task->bytes - at < chunk ? task->bytes - at : chunk;
    for (uint32_t i = 0; i < task->source_count; i++)
        piece->sources[i] = trm_span_of(task->sources[i].buffer, task->sources[i].offset + at, piece->bytes);
    for (uint32_t i = 0; i < task->target_count; i++)
        piece->targets[i] = trm_span_of(task->targets[i].buffer, task->targets[i].offset + at, piece->bytes);
    return true;
}

/* Chunk by chunk through all tasks of the spans `number`, so that all devices work at once. */
static int32_t enqueue_number(const struct run *run, uint32_t number)
{
    struct pipeline_task_range task, piece;
    uint64_t chunk = chunk_for(run->call);
    int32_t status = TRM_OK;
    bool is_more   = true;

    for (uint64_t c = 0; is_more; c++) {
        is_more = false;
        for (uint32_t part = 0; status == TRM_OK && part < pipeline_call_tasks(run->call); part++) {
            if (!pipeline_call_task(run->call, PIPELINE_WAY_TWO_SHOT, number, part, &task) ||
                !cut(&task, chunk, c, &piece))
                continue;
            is_more = true;
            status  = enqueue_chunk(run, &piece);
        }
    }
    return status;
}

/* ---- the call ------------------------------------------------------------------------------- */

static uint32_t streams_of(const struct pipeline_collective *collective,
                           struct trm_stream *streams[3 * PIPELINE_DEVICES])
{
    uint32_t count = 0;

    for (uint32_t d = 0; d < collective->devices; d++) {
        streams[count++] = collective->relays[d].in;
        streams[count++] = collective->relays[d].compute;
        streams[count++] = collective->relays[d].out;
    }
    return count;
}

/* Lets all of `later` wait for everything on all of `earlier`. */
static int32_t follow(struct trm_stream *const *later, uint32_t later_count,
                      struct trm_stream *const *earlier, uint32_t earlier_count)
{
    struct trm_point point;
    int32_t status = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < earlier_count; i++) {
        status = trm_stream_mark(earlier[i], &point);
        for (uint32_t k = 0; status == TRM_OK && k < later_count; k++)
            status = trm_stream_wait(later[k], point);
    }
    return status;
}

int32_t pipeline_relay_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                               bool is_host)
{
    const struct run run = {collective, call, is_host};
    struct trm_stream *streams[3 * PIPELINE_DEVICES];
    uint32_t count = streams_of(collective, streams);

    for (uint32_t d = 0; d < call->devices; d++)
        collective->relayed[d] = call->streams[d];
    int32_t status = follow(streams, count, call->streams, call->devices);
    for (uint32_t k = 0; status == TRM_OK && k < call->count; k++)
        status = enqueue_number(&run, k);
    while (status == TRM_OK && collective->item_count > 0)
        status = send_oldest(&run);
    if (status == TRM_OK)
        return follow(call->streams, call->devices, streams, count);
    forget_points(collective);
    return status;
}
