/* Graphs: what is recorded, and instances of it.
 *
 * A recording stream (core_stream_create_recording) has a recorder in the place of a backend. So the functions that enqueue
 * make all their checks as always, and what they hand to the "backend" is written down as a node. An instance shares the
 * nodes of its graph; an update replaces one of the instance's. It is launched as the backend's own graph
 * (graph_exec.c), or operation by operation (graph_emulate.c).
 *
 * A node has entered its buffers (core_object_try_enter): when the program destroys one its handle dies, but the memory
 * stays until the last node that uses it goes. Kernels and events are kept by a reference. So nothing that is launched needs
 * the bookkeeping of single operations; uses are recorded for those who wait for a buffer or map it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_GRAPH_GRAPH_H
#define CORE_GRAPH_GRAPH_H

#include <trireme/graph.h>

#include "core/memory/memory.h"
#include "core/module/module.h"
#include "core/stream/stream.h"

/* ---- nodes (graph_node.c) -------------------------------------------------------------------- */

enum core_node_kind {
    CORE_NODE_UPLOAD,
    CORE_NODE_DOWNLOAD,
    CORE_NODE_COPY,
    CORE_NODE_COPY_2D,
    CORE_NODE_FILL,
    CORE_NODE_LAUNCH,
    CORE_NODE_TIMESTAMP,
};

/* One operation; does not change once its pool has let go of it. One allocation holds it with all that it points to. */
struct core_node {
    _Atomic uint32_t references;
    int32_t kind;  /* enum core_node_kind */
    int32_t empty; /* 1: an update has made it do nothing */
    uint32_t buffer_count;
    uint64_t size; /* of the allocation */
    struct core_buffer **buffers;
    struct core_kernel *kernel; /* of a launch */
    struct core_event *event;   /* of a stamp */
    union {
        struct trm_copy_desc copy; /* also up and down */
        struct trm_copy_2d_desc copy_2d;
        struct trm_fill_desc fill;
        struct trm_launch_desc launch;
    };
};

/* Where nodes are made, and what is left of them: an instance that is updated again and again allocates nothing. All zero to
 * begin with, but for the context. */
#define CORE_SPARE_NODES 4
struct core_node_pool {
    struct core_context *context;
    uint32_t turn;
    struct core_node *spare[CORE_SPARE_NODES];
};

/* NULL: there is no memory, which has been explained. */
struct core_node *core_node_copy(struct core_node_pool *pool, const struct trm_copy_desc *desc);
struct core_node *core_node_copy_2d(struct core_node_pool *pool, const struct trm_copy_2d_desc *desc);
struct core_node *core_node_fill(struct core_node_pool *pool, const struct trm_fill_desc *desc);
struct core_node *core_node_launch(struct core_node_pool *pool, const struct trm_launch_desc *desc);
struct core_node *core_node_timestamp(struct core_node_pool *pool, struct core_event *event);

/* A node of the same kind, and for the same kernel, that does nothing. */
struct core_node *core_node_empty(struct core_node_pool *pool, const struct core_node *like);

void core_node_retain(struct core_node *node);
void core_node_release(struct core_node_pool *pool, struct core_node *node); /* NULL is fine */
void core_node_pool_fini(struct core_node_pool *pool);

const char *core_node_text(const struct core_node *node); /* "an upload" */

/* What a launch of it adds to the statistics of the stream. */
void core_node_count(const struct core_node *node, const struct core_device *device,
                     struct trm_stream_stats *stats);

/* ---- recording (graph_record.c) -------------------------------------------------------------- */

struct core_recorder {
    struct core_node_pool *pool;
    struct core_node **nodes;
    uint32_t count, capacity;
    int32_t fixed;  /* 1: `nodes` is of the caller's, and is never replaced by more room */
    int32_t broken; /* 1: an object was destroyed by another thread while it was recorded */
};

extern const struct core_recorder_ops core_recorder_ops;

void core_recorder_fini(struct core_recorder *recorder);

/* ---- graphs (graph.c) ------------------------------------------------------------------------ */

struct core_graph {
    struct core_object object;
    struct core_device *device;
    struct core_stream *stream; /* that records; NULL until it is asked for */
    struct core_node_pool pool;
    struct core_recorder recorder;
};

/* ---- instances (graph_exec.c, graph_emulate.c, graph_update.c) ------------------------------- */

/* The backend's time stamp for a node of the kind STAMP. */
struct core_exec_timestamp {
    uint32_t node;
    struct core_timestamp *stamp; /* a reference; events get one more at each launch */
};

struct core_graph_exec {
    struct core_object object;
    struct core_device *device;
    struct core_node_pool pool;
    struct core_node **nodes; /* references */
    uint32_t count;
    int32_t emulated;                 /* 1: by the core, operation by operation */
    struct trm_backend_graph *native; /* NULL: emulated, or there is nothing to do */
    struct core_exec_timestamp *stamps;
    uint32_t stamp_count;

    struct core_in_flight *
        *buffer_sets; /* of each buffer that a node uses, once; the nodes keep the buffers */
    uint32_t buffer_set_count, buffer_set_capacity;
    struct trm_stream_stats totals; /* what one launch adds to the statistics of its stream */

    struct core_stream *last; /* of the last launch: a reference; NULL before the first */
    uint64_t last_value;
    struct core_in_flight in_flight; /* by launches; when they have ended the instance may go */
    struct core_deferred deferred;
};

static inline struct core_graph_exec *core_graph_exec_find(struct trm_graph_exec *handle)
{
    return core_object_find(handle, CORE_GRAPH_EXEC);
}

int32_t core_exec_create(struct core_device *device, struct core_node *const *nodes, uint32_t count,
                         struct core_graph_exec **exec);

/* Replace a node, of which the caller has the only reference, which is the instance's when this succeeds. The
 * instance is idle. Else nothing has changed. */
int32_t core_exec_replace(struct core_graph_exec *exec, uint32_t index, struct core_node *node);

/* Enqueue all operations, the last of which has the number `value`: 0 where none was enqueued. A failure may
 * leave the first of them enqueued. */
int32_t core_exec_emulate(struct core_graph_exec *exec, struct core_stream *stream, uint64_t *value);

#endif
