/* Graphs: updates of an instance, each of which replaces what one node does.
 *
 * Records the new operation, so that it is checked like any other, on a stream that exists for this call
 * only and takes one node.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/graph/graph.h"
#include "core/memory/memory.h"
#include "core/module/module.h"

struct update {
    struct core_graph_exec *exec; /* entered */
    uint32_t index;
    struct core_kernel *kernel; /* of a launch */
    struct core_stream stream;
    struct trm_stream_stats stats;
    struct core_recorder recorder;
    struct core_node *node; /* the new one */
};

static int32_t check_node(const struct core_graph_exec *exec, uint32_t index, int32_t kind)
{
    if (index >= exec->count)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "there is no node %" PRIu32 " in the graph: it has %" PRIu32,
                         index, exec->count);
    const struct core_node *node = exec->nodes[index];
    if (node->kind == kind)
        return TRM_OK;
    const struct core_node wanted = {.kind = kind};
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "node %" PRIu32 " of the graph is %s, not %s", index,
                     core_node_text(node), core_node_text(&wanted));
}

/* Enters the instance, and checks that it has such a node. */
static int32_t begin(struct update *update, struct trm_graph_exec *handle, uint32_t index, int32_t kind)
{
    struct core_graph_exec *exec = core_object_enter(handle, CORE_GRAPH_EXEC);
    if (exec == NULL)
        return base_last_status();
    int32_t status = core_device_check(exec->device);
    if (status == TRM_OK)
        status = check_node(exec, index, kind);
    if (status != TRM_OK) {
        core_object_leave(&exec->object);
        return status;
    }
    update->exec                     = exec;
    update->kernel                   = exec->nodes[index]->kernel;
    update->index                    = index;
    update->recorder.pool            = &exec->pool;
    update->recorder.nodes           = &update->node;
    update->recorder.capacity        = 1;
    update->recorder.has_fixed_nodes = true;
    core_stream_init_recording(&update->stream, exec->device, &core_recorder_ops, &update->recorder,
                               &update->stats);
    return TRM_OK;
}

/* Takes the recorded node. None was recorded if the operation does nothing (no bytes, no groups): then an
 * empty one. */
static int32_t take_node(struct update *update)
{
    struct core_graph_exec *exec = update->exec;

    if (update->recorder.is_broken)
        return base_fail(TRM_ERROR_INVALID_HANDLE,
                         "a buffer was destroyed by another thread while a graph was updated with it");
    if (update->recorder.count != 0)
        return TRM_OK;
    update->node = core_node_empty(&exec->pool, exec->nodes[update->index]);
    if (update->node == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    update->recorder.count = 1;
    return TRM_OK;
}

/* If the stream has failed this is no error: nothing on it runs any more. */
static int32_t wait_for_launches(const struct core_graph_exec *exec)
{
    return exec->last == NULL ? TRM_OK : core_stream_wait_finished(exec->last, exec->last_value, TRM_FOREVER);
}

/* `status` is the result of recording. */
static int32_t end(struct update *update, int32_t status)
{
    struct core_graph_exec *exec = update->exec;

    if (status == TRM_OK)
        status = take_node(update);
    if (status == TRM_OK)
        status = wait_for_launches(exec);
    if (status == TRM_OK)
        status = core_exec_replace(exec, update->index, update->node);
    if (status == TRM_OK)
        update->recorder.count = 0; /* the node belongs to the instance now */
    core_recorder_fini(&update->recorder);
    core_object_leave(&exec->object);
    return status;
}

int32_t trm_graph_update_launch(struct trm_graph_exec *exec, uint32_t node, const struct trm_grid *grid,
                                const struct trm_argument *arguments, uint32_t argument_count)
{
    struct update update = {0};

    int32_t status = begin(&update, exec, node, CORE_NODE_LAUNCH);
    if (status != TRM_OK)
        return status;
    return end(&update, core_launch(&update.stream, update.kernel, grid, arguments, argument_count));
}

int32_t trm_graph_update_upload(struct trm_graph_exec *exec, uint32_t node, struct trm_span destination,
                                const void *source)
{
    struct update update = {0};

    int32_t status = begin(&update, exec, node, CORE_NODE_UPLOAD);
    return status == TRM_OK ? end(&update, core_upload(&update.stream, destination, source)) : status;
}

int32_t trm_graph_update_download(struct trm_graph_exec *exec, uint32_t node, void *destination,
                                  struct trm_span source)
{
    struct update update = {0};

    int32_t status = begin(&update, exec, node, CORE_NODE_DOWNLOAD);
    return status == TRM_OK ? end(&update, core_download(&update.stream, destination, source)) : status;
}

int32_t trm_graph_update_copy(struct trm_graph_exec *exec, uint32_t node, struct trm_span destination,
                              struct trm_span source)
{
    struct update update = {0};

    int32_t status = begin(&update, exec, node, CORE_NODE_COPY);
    return status == TRM_OK ? end(&update, core_copy(&update.stream, destination, source)) : status;
}
