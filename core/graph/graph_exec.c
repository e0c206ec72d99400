/* Graphs: instances, and launching them.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph.h"
#include "core/object/object.h"

/* ---- the ends of life ---------------------------------------------------------------------- */

static void free_timestamps(struct core_graph_exec *exec)
{
    for (uint32_t i = 0; i < exec->timestamp_count; i++)
        core_timestamp_release(exec->timestamps[i].timestamp);
    core_free(exec->device->object.context, exec->timestamps,
              exec->timestamp_count * sizeof(*exec->timestamps));
    exec->timestamps      = NULL;
    exec->timestamp_count = 0;
}

/* Frees an idle instance without references. The backend's part goes before what it points to. */
static void exec_free(struct core_graph_exec *exec)
{
    struct core_device *device   = exec->device;
    struct core_context *context = device->object.context;

    if (exec->native != NULL)
        exec->ops->destroy(exec->native);
    free_timestamps(exec);
    for (uint32_t i = 0; i < exec->count; i++)
        core_node_release(&exec->pool, exec->nodes[i]);
    core_node_pool_fini(&exec->pool);
    core_free(context, exec->nodes, exec->count * sizeof(struct core_node *));
    core_free(context, exec->uses, exec->use_capacity * sizeof(struct core_in_flight *));
    core_object_release(exec->last != NULL ? &exec->last->object : NULL);
    core_in_flight_fini(context, &exec->in_flight);
    core_free(context, exec, sizeof(*exec));
    core_object_release(&device->object);
}

static void deferred_destroy(struct core_deferred *item)
{
    exec_free(base_container_of(item, struct core_graph_exec, deferred));
}

static void exec_retire(struct core_object *object)
{
    core_device_uncount_child(((struct core_graph_exec *)object)->device, CORE_GRAPH_EXEC);
}

/* Launches may still be in flight. */
static void exec_release(struct core_object *object)
{
    struct core_graph_exec *exec = (struct core_graph_exec *)object;
    struct core_device *device   = exec->device;

    exec->deferred.in_flight = &exec->in_flight;
    exec->deferred.destroy   = deferred_destroy;
    core_object_retain(&device->object);
    core_device_defer(device, &exec->deferred);
    core_object_release(&device->object);
}

static const char *exec_device_id(const struct core_object *object)
{
    return ((const struct core_graph_exec *)object)->device->id;
}

static const struct core_object_ops exec_ops = {
    .type      = CORE_GRAPH_EXEC,
    .name      = "graph instance",
    .source    = __FILE__,
    .device_id = exec_device_id,
    .retire    = exec_retire,
    .release   = exec_release,
};

void trm_graph_exec_destroy(struct trm_graph_exec *handle)
{
    if (handle == NULL)
        return;
    struct core_graph_exec *exec = core_object_enter(handle, CORE_GRAPH_EXEC);
    if (exec == NULL)
        return;
    core_object_kill(&exec->object);
    core_object_leave(&exec->object);
}

/* ---- what the nodes use -------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    uintptr_t left, right;

    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return (left > right) - (left < right);
}

/* Makes room for what all nodes use. On an error nothing changes. */
static int32_t reserve_uses(struct core_graph_exec *exec, uint64_t wanted)
{
    struct core_context *context = exec->device->object.context;

    if (wanted <= exec->use_capacity)
        return TRM_OK;
    struct core_in_flight **sets = core_allocate(context, wanted * sizeof(struct core_in_flight *));
    if (sets == NULL || wanted > UINT32_MAX)
        return base_fail_memory("creating an instance of a graph");
    if (exec->use_count != 0)
        memcpy(sets, exec->uses, exec->use_count * sizeof(struct core_in_flight *));
    core_free(context, exec->uses, exec->use_capacity * sizeof(struct core_in_flight *));
    exec->uses         = sets;
    exec->use_capacity = (uint32_t)wanted;
    return TRM_OK;
}

static uint64_t count_uses(const struct core_graph_exec *exec)
{
    uint64_t names = 0;

    for (uint32_t i = 0; i < exec->count; i++)
        names += exec->nodes[i]->use_count;
    return names;
}

/* Collects what all nodes use, each once; there is room for it. */
static void gather_uses(struct core_graph_exec *exec)
{
    uint32_t names = 0, each = 0;

    for (uint32_t i = 0; i < exec->count; i++)
        for (uint32_t k = 0; k < exec->nodes[i]->use_count; k++)
            exec->uses[names++] = exec->nodes[i]->uses[k];
    if (names > 1)
        qsort(exec->uses, names, sizeof(struct core_in_flight *), by_address);
    for (uint32_t i = 0; i < names; i++)
        if (each == 0 || exec->uses[each - 1] != exec->uses[i])
            exec->uses[each++] = exec->uses[i];
    exec->use_count = each;
}

/* Adds up the statistics of one launch. Emulated timestamps count themselves. */
static void gather_totals(struct core_graph_exec *exec)
{
    memset(&exec->totals, 0, sizeof(exec->totals));
    for (uint32_t i = 0; i < exec->count; i++)
        if (!exec->is_emulated || exec->nodes[i]->kind != CORE_NODE_TIMESTAMP)
            core_node_count(exec->nodes[i], exec->device, &exec->totals);
}

/* ---- the backend's graph ------------------------------------------------------------------- */

/* A backend's graph takes the operations that its streams take, so a backend need not support more for
 * graphs. */
static bool can_be_native(const struct core_graph_exec *exec)
{
    const struct core_backend *backend = exec->device->backend;

    if (exec->ops->create == NULL)
        return false;
    for (uint32_t i = 0; i < exec->count; i++) {
        int32_t kind = exec->nodes[i]->kind;
        if ((kind == CORE_NODE_COPY_2D && backend->stream.copy_2d == NULL) ||
            (kind == CORE_NODE_FILL && backend->stream.fill == NULL) ||
            (kind == CORE_NODE_TIMESTAMP && !core_timestamps_are_native(exec->device)))
            return false;
    }
    return true;
}

/* Creates the backend's graph of the current nodes. UNSUPPORTED where the backend cannot; NULL if all are
 * empty. */
static int32_t create_native(const struct core_graph_exec *exec, struct trm_backend_graph **native)
{
    struct core_device *device = exec->device;
    struct core_described described;
    struct base_saved_error before;

    *native        = NULL;
    int32_t status = core_exec_describe_all(exec, &described);
    if (status != TRM_OK)
        return status;
    base_error_save(&before);
    base_error_clear();
    if (described.count != 0)
        status = core_answer_object(
            device->backend, "graph.create",
            exec->ops->create(device->device, described.pointers, described.count, native), "graph", native);
    if (status == TRM_OK || (status == TRM_ERROR_UNSUPPORTED && !exec->is_resident))
        base_error_restore(&before);
    else
        status = core_device_latch_loss(device, base_fail_backend(status));
    core_free(device->object.context, described.nodes, described.size);
    return status;
}

/* ---- creating ------------------------------------------------------------------------------ */

static uint32_t count_timestamps(const struct core_graph_exec *exec)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < exec->count; i++)
        count += exec->nodes[i]->kind == CORE_NODE_TIMESTAMP;
    return count;
}

/* UNSUPPORTED where the device has no timestamps. */
static int32_t create_timestamps(struct core_graph_exec *exec)
{
    uint32_t count = count_timestamps(exec), made = 0;
    int32_t status = TRM_OK;

    if (count == 0)
        return TRM_OK;
    exec->timestamps = core_allocate(exec->device->object.context, count * sizeof(*exec->timestamps));
    if (exec->timestamps == NULL)
        return base_fail_memory("creating an instance of a graph");
    exec->timestamp_count = count; /* those that do not exist yet are NULL */
    for (uint32_t i = 0; i < exec->count && status == TRM_OK; i++) {
        if (exec->nodes[i]->kind != CORE_NODE_TIMESTAMP)
            continue;
        exec->timestamps[made].node = i;
        status = core_timestamp_create_shared(exec->device, &exec->timestamps[made].timestamp);
        if (status == TRM_OK && core_timestamp_backend(exec->timestamps[made].timestamp) == NULL)
            status = TRM_ERROR_UNSUPPORTED;
        made++;
    }
    return status;
}

static void emulate(struct core_graph_exec *exec, const char *why)
{
    exec->is_emulated = true;
    core_log(exec->device->object.context, TRM_LOG_INFO,
             "a graph of %u nodes on %s is replayed node by node: %s", exec->count, exec->device->id, why);
}

/* A resident graph is not emulated: its stream runs nothing else. */
static int32_t create_resident(struct core_graph_exec *exec)
{
    int32_t status = TRM_OK;

    if (!can_be_native(exec))
        return base_fail_static(TRM_ERROR_UNSUPPORTED,
                                "a kernel that stays on the device runs launches and copies only");
    if (exec->count != 0)
        status = create_timestamps(exec);
    return status == TRM_OK && exec->count != 0 ? create_native(exec, &exec->native) : status;
}

static int32_t create_native_or_emulate(struct core_graph_exec *exec)
{
    if (exec->is_resident)
        return create_resident(exec);
    if (!can_be_native(exec)) {
        emulate(exec, "the backend has no graphs for its nodes");
        return TRM_OK;
    }
    if (exec->count == 0)
        return TRM_OK;
    int32_t status = create_timestamps(exec);
    if (status == TRM_OK)
        status = create_native(exec, &exec->native);
    if (status != TRM_ERROR_UNSUPPORTED)
        return status;
    free_timestamps(exec);
    emulate(exec, "the backend does not support it");
    return TRM_OK;
}

static int32_t take_nodes(struct core_graph_exec *exec, struct core_node *const *nodes, uint32_t count)
{
    if (count == 0)
        return TRM_OK;
    exec->nodes = core_allocate(exec->device->object.context, count * sizeof(struct core_node *));
    if (exec->nodes == NULL)
        return base_fail_memory("creating an instance of a graph");
    exec->count = count;
    for (uint32_t i = 0; i < count; i++) {
        core_node_retain(nodes[i]);
        exec->nodes[i] = nodes[i];
    }
    return TRM_OK;
}

int32_t core_exec_create(struct core_device *device, struct core_node *const *nodes, uint32_t count,
                         bool is_resident, struct core_graph_exec **out)
{
    struct core_context *context = device->object.context;

    core_device_reap(device);
    struct core_graph_exec *exec = core_allocate(context, sizeof(*exec));
    if (exec == NULL)
        return base_fail_memory("creating an instance of a graph");
    exec->device       = device;
    exec->pool.context = context;
    exec->is_resident  = is_resident;
    exec->ops          = is_resident ? &device->backend->resident_graph : &device->backend->graph;
    core_object_retain(&device->object);
    int32_t status = take_nodes(exec, nodes, count);
    if (status == TRM_OK)
        status = reserve_uses(exec, count_uses(exec));
    if (status == TRM_OK)
        status = create_native_or_emulate(exec);
    if (status == TRM_OK)
        status = core_object_init(&exec->object, &exec_ops, context);
    if (status != TRM_OK) {
        exec_free(exec);
        return status;
    }
    gather_uses(exec);
    gather_totals(exec);
    core_device_add_child(device, CORE_GRAPH_EXEC);
    core_object_release(&device->object); /* the reference from above; counting the child took one */
    *out = exec;
    return TRM_OK;
}

int32_t trm_graph_exec_is_native(struct trm_graph_exec *handle, int32_t *native)
{
    struct core_graph_exec *exec = core_object_enter(handle, CORE_GRAPH_EXEC);
    if (exec == NULL)
        return base_last_status();
    int32_t status = core_output_check(native, "trm_graph_exec_is_native", "native");
    if (status == TRM_OK)
        *native = !exec->is_emulated;
    core_object_leave(&exec->object);
    return status;
}

/* ---- replacing a node ---------------------------------------------------------------------- */

/* The index of a node among those of the backend's graph, which has no empty ones. */
static uint32_t native_index(const struct core_graph_exec *exec, uint32_t index)
{
    uint32_t place = 0;

    for (uint32_t i = 0; i < index; i++)
        place += !exec->nodes[i]->is_empty;
    return place;
}

/* Updates in place. UNSUPPORTED where the backend needs a new graph. */
static int32_t update_native(struct core_graph_exec *exec, uint32_t index)
{
    struct core_device *device = exec->device;
    struct trm_module_source source;
    struct trm_graph_node theirs;
    struct base_saved_error before;

    if (exec->ops->update == NULL)
        return TRM_ERROR_UNSUPPORTED;
    core_exec_describe(exec, index, &theirs, &source);
    base_error_save(&before);
    base_error_clear();
    int32_t status = core_answer(device->backend, "graph.update",
                                 exec->ops->update(exec->native, native_index(exec, index), &theirs));
    if (status != TRM_OK && status != TRM_ERROR_UNSUPPORTED)
        return core_device_latch_loss(device, base_fail_backend(status));
    base_error_restore(&before);
    return status;
}

static int32_t recreate_native(struct core_graph_exec *exec)
{
    struct trm_backend_graph *native;

    int32_t status = create_native(exec, &native);
    if (status != TRM_OK && (status != TRM_ERROR_UNSUPPORTED || exec->is_resident))
        return status;
    if (exec->native != NULL)
        exec->ops->destroy(exec->native);
    exec->native = native;
    if (status == TRM_ERROR_UNSUPPORTED) {
        exec->native = NULL;
        emulate(exec, "the backend does not support the update");
        free_timestamps(exec);
    }
    return TRM_OK;
}

/* `exec->nodes` has the new node already; `old` was there before. */
static int32_t replace_native(struct core_graph_exec *exec, uint32_t index, const struct core_node *old)
{
    const struct core_node *node = exec->nodes[index];

    if (exec->is_emulated || (old->is_empty && node->is_empty))
        return TRM_OK;
    if (old->is_empty || node->is_empty)
        return recreate_native(exec);
    int32_t status = update_native(exec, index);
    return status == TRM_ERROR_UNSUPPORTED ? recreate_native(exec) : status;
}

static bool have_same_uses(const struct core_node *a, const struct core_node *b)
{
    return a->use_count == b->use_count &&
           memcmp(a->uses, b->uses, a->use_count * sizeof(struct core_in_flight *)) == 0;
}

int32_t core_exec_replace(struct core_graph_exec *exec, uint32_t index, struct core_node *node)
{
    struct core_node *old = exec->nodes[index];

    int32_t status = reserve_uses(exec, count_uses(exec) + node->use_count);
    if (status != TRM_OK)
        return status;
    exec->nodes[index] = node;
    status             = replace_native(exec, index, old);
    if (status != TRM_OK) {
        exec->nodes[index] = old;
        return status;
    }
    if (!have_same_uses(old, node))
        gather_uses(exec);
    gather_totals(exec);
    core_node_release(&exec->pool, old);
    return TRM_OK;
}

/* ---- launching ----------------------------------------------------------------------------- */

static int32_t check_launch(const struct core_graph_exec *exec, const struct core_stream *stream)
{
    if (exec->device == stream->device && exec->is_resident == core_stream_is_resident(stream))
        return TRM_OK;
    if (exec->device == stream->device)
        return base_fail_static(TRM_ERROR_UNSUPPORTED,
                                "resident graphs run on resident streams, and nothing else does");
    return base_fail(TRM_ERROR_WRONG_DEVICE, "the graph belongs to another device (%s) than the stream (%s)",
                     exec->device->id, stream->device->id);
}

/* The last launch was on another stream: waits for it, unless it has ended, well or badly. */
static int32_t follow_last(struct core_graph_exec *exec, struct core_stream *stream)
{
    if (exec->last == NULL || core_stream_has_finished(exec->last, exec->last_value))
        return TRM_OK;
    return core_stream_wait_other(stream, exec->last, exec->last_value);
}

static int32_t launch_native(struct core_graph_exec *exec, struct core_stream *stream, uint64_t *value)
{
    if (exec->native == NULL)
        return TRM_OK;
    uint64_t number = core_stream_next(stream);
    base_error_clear();
    int32_t status =
        core_stream_commit_work(stream, number, "graph.launch",
                                exec->ops->launch(stream->backend, number, exec->native), CORE_WORK_GRAPH, 0);
    if (status == TRM_OK)
        *value = number;
    return status;
}

/* Adds the launch to what is in flight: waits for a buffer, maps and reads of an event then wait for it
 * too. */
static void add_to_in_flight(struct core_graph_exec *exec, struct core_stream *stream, uint64_t value)
{
    core_in_flight_add(&exec->in_flight, stream, value);
    core_in_flight_add_each(exec->uses, exec->use_count, stream, value);
    for (uint32_t i = 0; i < exec->timestamp_count; i++)
        core_event_set_timestamp(exec->nodes[exec->timestamps[i].node]->event, exec->timestamps[i].timestamp,
                                 stream, value);
    exec->last_value = value;
    if (exec->last == stream)
        return;
    core_object_retain(&stream->object);
    core_object_release(exec->last != NULL ? &exec->last->object : NULL);
    exec->last = stream;
}

/* Operations come first: a reader never sees more operations of a kind than operations. */
static void count_totals(const struct core_graph_exec *exec, struct core_stream *stream)
{
    const struct trm_stream_stats *totals = &exec->totals;
    struct trm_stream_stats *stats        = stream->stats;

    core_stream_add(&stats->operations, totals->operations);
    core_stream_add(&stats->launches, totals->launches);
    core_stream_add(&stats->copies, totals->copies);
    core_stream_add(&stats->fills, totals->fills);
    core_stream_add(&stats->bytes_uploaded, totals->bytes_uploaded);
    core_stream_add(&stats->bytes_downloaded, totals->bytes_downloaded);
    core_stream_add(&stats->bytes_copied, totals->bytes_copied);
    core_stream_add(&stats->pageable_copies, totals->pageable_copies);
}

/* Marks the point after the launch now: another stream may wait for it later, when it is too late to mark. */
static int32_t launch(struct core_graph_exec *exec, struct core_stream *stream)
{
    uint64_t value = 0, marked;

    int32_t status = exec->last == stream ? TRM_OK : follow_last(exec, stream);
    if (status != TRM_OK)
        return status;
    status =
        exec->is_emulated ? core_exec_emulate(exec, stream, &value) : launch_native(exec, stream, &value);
    if (value == 0)
        return status;
    add_to_in_flight(exec, stream, value);
    if (status != TRM_OK)
        return status;
    count_totals(exec, stream);
    return core_stream_mark(stream, &marked);
}

int32_t trm_graph_launch(struct trm_graph_exec *handle, struct trm_stream *stream_handle)
{
    struct core_stream *stream;
    struct core_graph_exec *exec = core_graph_exec_find(handle);
    if (exec == NULL)
        return base_last_status();
    int32_t status = core_stream_begin_live(stream_handle, "a graph", &stream);
    if (status == TRM_OK)
        status = check_launch(exec, stream);
    return status == TRM_OK ? launch(exec, stream) : status;
}
