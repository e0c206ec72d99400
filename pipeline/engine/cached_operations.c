/* Operations that are cached from one token of a slot to the next (cached_operations.h).
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/cached_operations.h"

#include "core/memory/memory.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "pipeline/engine/copy.h"

/* Between two buffers of the slot. */
struct cached_copy {
    struct trm_place to, from;
    uint64_t length;
};

enum cache_state {
    CACHE_EMPTY   = 0,
    CACHE_FULL    = 1,
    CACHE_REFUSED = 2, /* an operation cannot be cached */
};

struct pipeline_cached_operations {
    int32_t state; /* enum cache_state */
    uint32_t uploads, copies;
    uint64_t bytes_up, bytes_down;
    struct cached_copy *copy;          /* the uploads, then the downloads */
    struct core_cached_launch *launch; /* by stage */
    struct core_in_flight **uses;      /* of the buffers that are not the slot's own, each once */
    uint32_t use_count;
};

/* ---- caching -------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct pipeline *pipeline)
{
    uint64_t ports = pipeline->desc.port_count, stages = pipeline->desc.stage_count;

    return sizeof(struct pipeline_cached_operations) + ports * sizeof(struct cached_copy) +
           stages * sizeof(struct core_cached_launch) +
           (2 * ports + stages * CORE_CACHED_ARGUMENTS) * sizeof(struct core_in_flight *);
}

static struct pipeline_cached_operations *create(const struct pipeline *pipeline)
{
    struct pipeline_cached_operations *cached = core_allocate(pipeline->object.context, bytes_of(pipeline));

    if (cached == NULL)
        return NULL;
    cached->copy   = (struct cached_copy *)(cached + 1);
    cached->launch = (struct core_cached_launch *)(cached->copy + pipeline->desc.port_count);
    cached->uses   = (struct core_in_flight **)(cached->launch + pipeline->desc.stage_count);
    return cached;
}

void pipeline_cached_invalidate(struct pipeline_slot *slot)
{
    if (slot->device->cached != NULL)
        slot->device->cached->state = CACHE_EMPTY;
}

void pipeline_cached_destroy(struct pipeline_slot *slot)
{
    core_free(slot->pipeline->object.context, slot->device->cached, bytes_of(slot->pipeline));
    slot->device->cached = NULL;
}

/* Whether the stages of a full token are launches on one stream that wait for no other token. */
static bool is_plain(const struct pipeline_device *engine, const struct pipeline_strategy_ops *strategy)
{
    return strategy->enqueue == pipeline_enqueue_on_slot_stream && engine->host_count == 0 &&
           engine->lane_count == 1 && engine->away_count == 0 && !engine->in_order &&
           engine->image_ports == 0;
}

static bool is_of(struct trm_buffer *handle, const struct core_in_flight *use)
{
    const struct core_buffer *buffer = handle != NULL ? core_buffer_find(handle) : NULL;

    return buffer != NULL && &buffer->in_flight == use;
}

/* Whether only the slot uses the buffer, which ends when its work has ended (pipeline_slot_destroy()). */
static bool is_of_slot(const struct pipeline_slot *slot, const struct core_in_flight *use)
{
    const struct pipeline_slot_device *own = slot->device;

    for (uint32_t i = 0; i < slot->pipeline->desc.port_count; i++)
        if (is_of(own->host[i], use) || is_of(own->device[i], use))
            return true;
    return is_of(own->scratch, use);
}

static void cache_use(const struct pipeline_slot *slot, struct pipeline_cached_operations *cached,
                      struct core_in_flight *use)
{
    if (use == NULL || is_of_slot(slot, use))
        return;
    for (uint32_t i = 0; i < cached->use_count; i++)
        if (cached->uses[i] == use)
            return;
    cached->uses[cached->use_count++] = use;
}

static bool cache_copy(const struct pipeline_slot *slot, struct pipeline_cached_operations *cached,
                       const struct trm_span *to, const struct trm_span *from)
{
    struct core_buffer *target = core_buffer_find(to->buffer), *source = core_buffer_find(from->buffer);

    if (target == NULL || source == NULL || target->device != source->device)
        return false;
    cached->copy[cached->copies++] = (struct cached_copy){
        .to     = core_place(target, to->offset),
        .from   = core_place(source, from->offset),
        .length = to->length,
    };
    cache_use(slot, cached, &target->in_flight);
    cache_use(slot, cached, &source->in_flight);
    return true;
}

static bool cache_copies(const struct pipeline_slot *slot, struct pipeline_cached_operations *cached,
                         bool is_upload)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    uint64_t ports                       = is_upload ? engine->input_ports : engine->output_ports;

    for (; ports != 0; ports &= ports - 1) {
        const struct pipeline_port_memory *location = &slot->device->port_memory[__builtin_ctzll(ports)];
        struct pipeline_copy copy                   = pipeline_copy_of(location);
        if (!location->is_copied)
            continue;
        if (copy.host.buffer == NULL || copy.image != NULL || location->length == 0 ||
            !cache_copy(slot, cached, is_upload ? &copy.device : &copy.host,
                        is_upload ? &copy.host : &copy.device))
            return false;
        *(is_upload ? &cached->bytes_up : &cached->bytes_down) += location->length;
    }
    return true;
}

static bool cache_launches(const struct pipeline_slot *slot, struct core_stream *stream,
                           struct pipeline_cached_operations *cached)
{
    const struct pipeline_slot_device *own = slot->device;

    for (uint32_t i = 0; i < slot->pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &slot->pipeline->engine->plans[i];
        struct core_cached_launch *launch      = &cached->launch[i];
        struct core_kernel *kernel             = core_kernel_find(plan->kernel);
        if (kernel == NULL || !core_launch_cache(stream, kernel, &own->grids[i], own->arguments[i],
                                                 plan->argument_count, launch))
            return false;
        for (uint32_t k = 0; k < launch->in_flight_count; k++)
            cache_use(slot, cached, launch->in_flight[k]);
        launch->in_flight_count = 0; /* they are added for all operations at once */
    }
    return true;
}

static bool cache_all(const struct pipeline_slot *slot, struct core_stream *stream,
                      struct pipeline_cached_operations *cached)
{
    cached->copies = cached->use_count = 0;
    cached->bytes_up = cached->bytes_down = 0;
    if (!cache_copies(slot, cached, true))
        return false;
    cached->uploads = cached->copies;
    return cache_copies(slot, cached, false) && cache_launches(slot, stream, cached);
}

/* The stream of the slot while nothing but enqueueing is to be done for it. */
static struct core_stream *quiet_stream(const struct pipeline_slot_device *own)
{
    struct core_stream *stream = own->stream != NULL ? core_stream_find(own->stream) : NULL;
    bool is_quiet              = stream != NULL && core_stream_is_quiet(stream) &&
                    atomic_load_explicit(&stream->observed, memory_order_relaxed) == 0;

    return is_quiet ? stream : NULL;
}

bool pipeline_cached_is_ready(struct pipeline_slot *slot, const struct pipeline_strategy_ops *strategy)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;

    if (own->filled_for != strategy || own->samples != 0 || engine->ranges != NULL)
        return false;
    if (own->cached != NULL && own->cached->state != CACHE_EMPTY)
        return own->cached->state == CACHE_FULL;
    struct core_stream *stream = quiet_stream(own);
    if (stream == NULL || !is_plain(engine, strategy))
        return false;
    if (own->cached == NULL)
        own->cached = create(slot->pipeline);
    if (own->cached != NULL)
        own->cached->state = cache_all(slot, stream, own->cached) ? CACHE_FULL : CACHE_REFUSED;
    return own->cached != NULL && own->cached->state == CACHE_FULL;
}

/* ---- enqueueing ----------------------------------------------------------------------------- */

static int32_t enqueue_copies(struct core_stream *stream, const struct cached_copy *copy, uint32_t count,
                              const char *stage)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t status = core_copy_enqueue(stream, copy[i].to, copy[i].from, copy[i].length);
        if (status != TRM_OK)
            return pipeline_fail_stage(status, stage);
        core_copy_count(stream, CORE_COPY_DEVICE, copy[i].length);
    }
    return TRM_OK;
}

static int32_t enqueue_launches(const struct pipeline_slot *slot, struct core_stream *stream)
{
    const struct core_cached_launch *launch = slot->device->cached->launch;
    uint64_t *launched                      = slot->device->launched;

    for (uint32_t i = 0; i < slot->pipeline->desc.stage_count; i++) {
        int32_t status = core_launch_enqueue_cached(stream, &launch[i]);
        if (status != TRM_OK)
            return pipeline_fail_compute(status, slot->pipeline->engine->plans[i].name);
        launched[i] = atomic_load_explicit(&stream->enqueued, memory_order_relaxed);
    }
    return TRM_OK;
}

/* A point that is only observed. */
static void note(const struct pipeline_slot_device *own, struct pipeline_slot_point *point,
                 const struct core_stream *stream)
{
    atomic_store_explicit(&point->value, atomic_load_explicit(&stream->enqueued, memory_order_relaxed),
                          memory_order_release);
    atomic_store_explicit(&point->stream, own->stream, memory_order_release);
}

static int32_t enqueue_all(struct pipeline_slot *slot, struct core_stream *stream)
{
    struct pipeline_slot_device *own                = slot->device;
    const struct pipeline_cached_operations *cached = own->cached;

    int32_t status = enqueue_copies(stream, cached->copy, cached->uploads, "upload");
    if (status != TRM_OK)
        return status;
    note(own, &own->uploaded, stream);
    own->bytes_up = cached->bytes_up;
    status        = enqueue_launches(slot, stream);
    if (status != TRM_OK)
        return status;
    note(own, &own->processed, stream);
    status =
        enqueue_copies(stream, cached->copy + cached->uploads, cached->copies - cached->uploads, "download");
    if (status == TRM_OK)
        own->bytes_down = cached->bytes_down;
    return status;
}

bool pipeline_cached_enqueue(struct pipeline_slot *slot, int32_t *result)
{
    struct pipeline_slot_device *own = slot->device;
    struct core_stream *stream       = quiet_stream(own);

    if (stream == NULL)
        return false;
    uint64_t waits = stream->stats->host_waits, before = core_stream_next(stream);
    int32_t status = enqueue_all(slot, stream);
    uint64_t next  = core_stream_next(stream);
    if (next != before && own->cached->use_count != 0)
        core_in_flight_add_each(own->cached->uses, own->cached->use_count, stream, next - 1);
    status = pipeline_finish_point(&own->finished, own->stream, status);
    if (stream->stats->host_waits != waits)
        atomic_fetch_add_explicit(&slot->pipeline->engine->host_waits, stream->stats->host_waits - waits,
                                  memory_order_relaxed);
    *result = status;
    return true;
}
