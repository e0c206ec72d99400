/* Graphs: creating, recording, ending.
 * SPDX-License-Identifier: MIT
 */
#include "core/graph/graph.h"

#include "core/graph/create.h"

#include "core/object/object.h"

/* ---- the ends of life ---------------------------------------------------------------------- */

static void graph_retire(struct core_object *object)
{
    struct core_graph *graph = (struct core_graph *)object;

    if (graph->stream != NULL)
        core_stream_end(graph->stream);
    core_recorder_fini(&graph->recorder);
    core_node_pool_fini(&graph->pool);
    core_device_uncount_child(graph->device, CORE_GRAPH);
}

static void graph_release(struct core_object *object)
{
    struct core_device *device = ((struct core_graph *)object)->device;

    core_free(object->context, object, sizeof(struct core_graph));
    core_object_release(&device->object);
}

static const char *graph_device_id(const struct core_object *object)
{
    return ((const struct core_graph *)object)->device->id;
}

static const struct core_object_ops graph_ops = {
    .type      = CORE_GRAPH,
    .name      = "graph",
    .source    = __FILE__,
    .device_id = graph_device_id,
    .retire    = graph_retire,
    .release   = graph_release,
};

int32_t core_graph_create(struct core_device *device, struct trm_graph **out)
{
    int32_t status = core_output_check(out, "trm_graph_create", "graph");
    if (status == TRM_OK)
        status = core_device_check(device);
    if (status != TRM_OK)
        return status;

    struct core_graph *graph = core_allocate(device->object.context, sizeof(*graph));
    if (graph == NULL)
        return base_fail_memory("creating a graph");
    graph->device        = device;
    graph->pool.context  = device->object.context;
    graph->recorder.pool = &graph->pool;
    status               = core_object_init(&graph->object, &graph_ops, device->object.context);
    if (status != TRM_OK) {
        core_free(device->object.context, graph, sizeof(*graph));
        return status;
    }
    core_device_add_child(device, CORE_GRAPH);
    *out = core_object_publish(&graph->object);
    return TRM_OK;
}

int32_t trm_graph_create(struct trm_device *handle, struct trm_graph **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = core_graph_create(device, out);
    core_object_leave(&device->object);
    return status;
}

void trm_graph_destroy(struct trm_graph *handle)
{
    core_object_kill_handle(handle, CORE_GRAPH);
}

/* ---- recording ----------------------------------------------------------------------------- */

int32_t trm_graph_record(struct trm_graph *handle, struct trm_stream **out)
{
    struct core_graph *graph = core_object_enter(handle, CORE_GRAPH);
    if (graph == NULL)
        return base_last_status();
    int32_t status = core_output_check(out, "trm_graph_record", "stream");
    if (status == TRM_OK)
        status = core_device_check(graph->device);
    if (status == TRM_OK && graph->stream == NULL)
        status =
            core_stream_create_recording(graph->device, &core_recorder_ops, &graph->recorder, &graph->stream);
    if (status == TRM_OK)
        *out = graph->stream->object.handle;
    core_object_leave(&graph->object);
    return status;
}

int32_t trm_graph_node_count(struct trm_graph *handle, uint32_t *count)
{
    struct core_graph *graph = core_object_enter(handle, CORE_GRAPH);
    if (graph == NULL)
        return base_last_status();
    int32_t status = core_output_check(count, "trm_graph_node_count", "count");
    if (status == TRM_OK)
        *count = graph->recorder.count;
    core_object_leave(&graph->object);
    return status;
}

static int32_t instantiate(struct trm_graph *handle, bool is_resident, struct trm_graph_exec **out)
{
    struct core_graph_exec *exec;
    struct core_graph *graph = core_object_enter(handle, CORE_GRAPH);
    if (graph == NULL)
        return base_last_status();
    int32_t status = core_output_check(out, "trm_graph_instantiate", "exec");
    if (status == TRM_OK)
        status = core_device_check(graph->device);
    if (status == TRM_OK && graph->recorder.is_broken)
        status = base_fail(TRM_ERROR_INVALID_HANDLE,
                           "a buffer was destroyed by another thread while it was recorded into the graph");
    if (status == TRM_OK)
        status =
            core_exec_create(graph->device, graph->recorder.nodes, graph->recorder.count, is_resident, &exec);
    if (status == TRM_OK)
        *out = core_object_publish(&exec->object);
    core_object_leave(&graph->object);
    return status;
}

int32_t trm_graph_instantiate(struct trm_graph *graph, struct trm_graph_exec **exec)
{
    return instantiate(graph, false, exec);
}

int32_t core_graph_instantiate_resident(struct trm_graph *graph, struct trm_graph_exec **exec)
{
    return instantiate(graph, true, exec);
}
