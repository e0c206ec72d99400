/* Graphs: the recorder, which stands where a stream has its backend.
 *
 * The callers have made all checks, so each operation becomes a node. The number of an operation is that
 * of its node, from 1. After the operation core_in_flight_add() and core_launch() add what it uses; the
 * node has room for that.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>
#include <string.h>

#include "core/graph/graph.h"

#define FIRST_NODES 8u

static struct core_recorder *recorder_of(struct trm_backend_stream *stream)
{
    return (struct core_recorder *)(void *)stream;
}

/* ---- adding nodes -------------------------------------------------------------------------- */

static int32_t grow(struct core_recorder *recorder)
{
    struct core_context *context = recorder->pool->context;
    uint32_t capacity            = recorder->capacity == 0 ? FIRST_NODES : recorder->capacity * 2;

    if (recorder->has_fixed_nodes || capacity > UINT32_MAX / 2)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "a graph has at most %u operations", recorder->capacity);
    struct core_node **nodes = core_allocate(context, capacity * sizeof(struct core_node *));
    if (nodes == NULL)
        return base_fail_memory("recording an operation into a graph");
    if (recorder->count != 0)
        memcpy(nodes, recorder->nodes, recorder->count * sizeof(struct core_node *));
    core_free(context, recorder->nodes, recorder->capacity * sizeof(struct core_node *));
    recorder->nodes    = nodes;
    recorder->capacity = capacity;
    return TRM_OK;
}

/* Takes over the node, which is NULL when out of memory. */
static int32_t add(struct core_recorder *recorder, struct core_node *node)
{
    if (node == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    int32_t status = recorder->count < recorder->capacity ? TRM_OK : grow(recorder);
    if (status != TRM_OK) {
        core_node_release(recorder->pool, node);
        return status;
    }
    recorder->nodes[recorder->count++] = node;
    return TRM_OK;
}

static int32_t record_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    struct core_recorder *recorder = recorder_of(stream);
    (void)value;
    return add(recorder, core_node_copy(recorder->pool, desc));
}

static int32_t record_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    struct core_recorder *recorder = recorder_of(stream);
    (void)value;
    return add(recorder, core_node_copy_2d(recorder->pool, desc));
}

static int32_t record_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc)
{
    struct core_recorder *recorder = recorder_of(stream);
    (void)value;
    return add(recorder, core_node_fill(recorder->pool, desc));
}

static int32_t record_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    struct core_recorder *recorder = recorder_of(stream);
    uint32_t more                  = recorder->more_uses;
    (void)value;
    recorder->more_uses = 0;
    return add(recorder, core_node_launch(recorder->pool, desc, more));
}

static int32_t record_image_copy(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_image_copy_desc *desc)
{
    struct core_recorder *recorder = recorder_of(stream);
    (void)value;
    return add(recorder, core_node_image_copy(recorder->pool, desc));
}

static int32_t record_image_transfer(struct trm_backend_stream *stream, uint64_t value,
                                     const struct trm_image_transfer_desc *desc)
{
    struct core_recorder *recorder = recorder_of(stream);
    (void)value;
    return add(recorder, core_node_image_transfer(recorder->pool, desc));
}

static int32_t recorder_add_event(struct core_stream *stream, struct core_event *event)
{
    struct core_recorder *recorder = recorder_of(stream->backend);

    if (!(event->flags & TRM_EVENT_TIMING))
        return base_fail(
            TRM_ERROR_UNSUPPORTED,
            "only events with TRM_EVENT_TIMING can be recorded into a graph: a point in it cannot be "
            "waited for");
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    int32_t status = core_stream_commit(stream, value, "a recording",
                                        add(recorder, core_node_timestamp(recorder->pool, event)));
    if (status == TRM_OK)
        core_stream_count(stream, NULL);
    return status;
}

/* ---- what the last node uses --------------------------------------------------------------- */

/* The node has room for all that the operation names. A pipeline records objects that it holds, whose handles
 * the program may have destroyed. If another thread destroys any other at this moment, which is the program's
 * mistake, the graph is broken. */
static void recorder_add_use(struct core_stream *stream, struct core_in_flight *in_flight)
{
    struct core_recorder *recorder = recorder_of(stream->backend);
    struct core_node *node         = recorder->nodes[recorder->count - 1];

    for (uint32_t i = 0; i < node->use_count; i++)
        if (node->uses[i] == in_flight)
            return;
    if (core_object_try_enter_held(in_flight->owner))
        node->uses[node->use_count++] = in_flight;
    else
        recorder->is_broken = true;
}

static void recorder_add_kernel(struct core_stream *stream, struct core_kernel *kernel)
{
    struct core_recorder *recorder = recorder_of(stream->backend);

    core_object_retain(&kernel->object);
    recorder->nodes[recorder->count - 1]->kernel = kernel;
}

static void recorder_expect_uses(struct core_stream *stream, uint32_t more)
{
    recorder_of(stream->backend)->more_uses = more;
}

/* ---- the end ------------------------------------------------------------------------------- */

void core_recorder_fini(struct core_recorder *recorder)
{
    struct core_context *context = recorder->pool->context;

    for (uint32_t i = 0; i < recorder->count; i++)
        core_node_release(recorder->pool, recorder->nodes[i]);
    recorder->count = 0;
    if (!recorder->has_fixed_nodes)
        core_free(context, recorder->nodes, recorder->capacity * sizeof(struct core_node *));
}

/* The graph owns the recorder. */
static void recorder_destroy(struct trm_backend_stream *stream)
{
    (void)stream;
}

/* Nothing runs, so nothing fails and every wait is over. */
/* Nothing runs, and core_stream.completed says already that everything is complete. */
static int32_t recorder_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    (void)stream;
    (void)completed;
    return TRM_OK;
}

static int32_t recorder_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    (void)stream;
    (void)value;
    (void)timeout_ns;
    return TRM_OK;
}

const struct core_recorder_ops core_recorder_ops = {
    .stream =
        {
            .struct_size = sizeof(struct trm_stream_ops),
            .destroy     = recorder_destroy,
            .copy        = record_copy,
            .launch      = record_launch,
            .copy_2d     = record_copy_2d,
            .fill        = record_fill,
            .query       = recorder_query,
            .wait        = recorder_wait,
        },
    .image =
        {
            .struct_size = sizeof(struct trm_image_ops),
            .copy        = record_image_copy,
            .transfer    = record_image_transfer,
        },
    .add_use     = recorder_add_use,
    .add_kernel  = recorder_add_kernel,
    .expect_uses = recorder_expect_uses,
    .add_event   = recorder_add_event,
};
