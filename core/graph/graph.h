/* Graphs: recorded operations, and instances that launch them.
 *
 *     graph.c            a graph's life; recording streams
 *     graph_record.c     the recorder, which stands where a stream has its backend
 *     graph_node.c       nodes: single operations that were recorded
 *     graph_describe.c   an instance's nodes as the backend takes them
 *     graph_exec.c       instances: creating, replacing nodes, launching
 *     graph_emulate.c    launching an instance operation by operation
 *     graph_update.c     the functions that update an instance
 *
 * A recording stream (core_stream_create_recording) has a recorder in place of a backend. So the
 * functions that enqueue make all their checks as always, and the recorder keeps what they pass to the
 * "backend" as a node. An instance shares the nodes of its graph; an update replaces one node of the
 * instance. It is launched as the backend's own graph (graph_exec.c), or operation by operation
 * (graph_emulate.c).
 *
 * A node has entered its buffers, images and samplers (core_object_try_enter_held): when the program
 * destroys one, its handle
 * dies, but the memory stays until the last node that uses it is freed. A node holds references of its kernel
 * and its event. So a launch needs no bookkeeping for single operations; it only adds to the buffers'
 * in_flight, for calls that wait for a buffer or map it.
 *
 * Threads: the program serialises recording, updates and launches of one graph or instance. The room has
 * no lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_GRAPH_GRAPH_H
#define CORE_GRAPH_GRAPH_H

#include <stdbool.h>
#include <trireme/graph.h>

#include "core/event/event.h"
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
    CORE_NODE_IMAGE_COPY, /* of the backend's images, as the next */
    CORE_NODE_IMAGE_TRANSFER,
};

/* One operation. It does not change once it is recorded. One allocation holds it and all that it points
 * to. */
struct core_node {
    _Atomic uint32_t references;
    int32_t kind;  /* enum core_node_kind */
    bool is_empty; /* an update has made it do nothing */
    uint32_t use_count;
    uint64_t size;                /* of the allocation */
    struct core_in_flight **uses; /* of what the node uses, each once; the owners are entered */
    struct core_kernel *kernel;   /* of a launch */
    struct core_event *event;     /* of a timestamp */
    union {
        struct trm_copy_desc copy; /* also up and down */
        struct trm_copy_2d_desc copy_2d;
        struct trm_fill_desc fill;
        struct trm_launch_desc launch;
        struct trm_image_copy_desc image_copy;
        struct trm_image_transfer_desc image_transfer;
    };
};

/* Creates nodes and caches a few that were released, so that repeated updates of an instance allocate
 * nothing. Starts all zero but for the context. */
#define CORE_SPARE_NODES 4
struct core_node_pool {
    struct core_context *context;
    uint32_t next_spare; /* counts up; modulo CORE_SPARE_NODES: where to cache the next one */
    struct core_node *spare[CORE_SPARE_NODES];
};

/* Create a node; NULL when out of memory, which is explained. */
struct core_node *core_node_copy(struct core_node_pool *pool, const struct trm_copy_desc *desc);
struct core_node *core_node_copy_2d(struct core_node_pool *pool, const struct trm_copy_2d_desc *desc);
struct core_node *core_node_fill(struct core_node_pool *pool, const struct trm_fill_desc *desc);
struct core_node *core_node_launch(struct core_node_pool *pool, const struct trm_launch_desc *desc,
                                   uint32_t more_uses);
struct core_node *core_node_image_copy(struct core_node_pool *pool, const struct trm_image_copy_desc *desc);
struct core_node *core_node_image_transfer(struct core_node_pool *pool,
                                           const struct trm_image_transfer_desc *desc);
struct core_node *core_node_timestamp(struct core_node_pool *pool, struct core_event *event);

/* Creates a node of the same kind, and for the same kernel, that does nothing. */
struct core_node *core_node_empty(struct core_node_pool *pool, const struct core_node *like);

void core_node_retain(struct core_node *node);
void core_node_release(struct core_node_pool *pool, struct core_node *node); /* NULL is fine */
void core_node_pool_fini(struct core_node_pool *pool);

const char *core_node_text(const struct core_node *node); /* "an upload" */

/* Adds a launch of the node to the statistics of a stream. */
void core_node_count(const struct core_node *node, const struct core_device *device,
                     struct trm_stream_stats *stats);

/* ---- recording (graph_record.c) -------------------------------------------------------------- */

struct core_recorder {
    struct core_node_pool *pool;
    struct core_node **nodes;
    uint32_t count, capacity;
    uint32_t more_uses;   /* of the next operation, beside its arguments */
    bool has_fixed_nodes; /* the caller owns `nodes`, which is not replaced by a larger array */
    bool is_broken;       /* another thread destroyed an object while it was recorded */
};

extern const struct core_recorder_ops core_recorder_ops;

void core_recorder_fini(struct core_recorder *recorder);

/* ---- graphs (graph.c) ------------------------------------------------------------------------ */

struct core_graph {
    struct core_object object;
    struct core_device *device;
    struct core_stream *stream; /* the recording stream; NULL until the program asks for it */
    struct core_node_pool pool;
    struct core_recorder recorder;
};

/* ---- instances (graph_exec.c, graph_emulate.c, graph_update.c) ------------------------------- */

/* The backend's timestamp for a node of the kind TIMESTAMP. */
struct core_exec_timestamp {
    uint32_t node;
    struct core_timestamp *timestamp; /* a reference; events get one more at each launch */
};

struct core_graph_exec {
    struct core_object object;
    struct core_device *device;
    struct core_node_pool pool;
    struct core_node **nodes; /* references */
    uint32_t count;
    const struct trm_graph_ops *ops;  /* the backend's graph table, or that of resident graphs */
    bool is_resident;                 /* for streams of core_stream_create_resident() */
    bool is_emulated;                 /* the core launches it, operation by operation */
    struct trm_backend_graph *native; /* NULL: emulated, or every node is empty */
    struct core_exec_timestamp *timestamps;
    uint32_t timestamp_count;

    struct core_in_flight **uses; /* of all nodes, each once; the nodes keep their owners */
    uint32_t use_count, use_capacity;
    struct trm_stream_stats totals; /* what one launch adds to the statistics of its stream */

    struct core_stream *last; /* of the last launch; a reference; NULL before the first */
    uint64_t last_value;
    struct core_in_flight in_flight; /* launches; the instance is destroyed when they have ended */
    struct core_deferred deferred;
};

static inline struct core_graph_exec *core_graph_exec_find(struct trm_graph_exec *handle)
{
    return core_object_find(handle, CORE_GRAPH_EXEC);
}

/* The caller publishes the instance. */
int32_t core_exec_create(struct core_device *device, struct core_node *const *nodes, uint32_t count,
                         bool is_resident, struct core_graph_exec **exec);

/* Replaces a node of an idle instance. Takes over the caller's reference of `node`, which is the only
 * one. On an error nothing has changed. */
int32_t core_exec_replace(struct core_graph_exec *exec, uint32_t index, struct core_node *node);

/* Descriptions of nodes, as the backend takes them: one allocation of `size` bytes from `nodes` on. */
struct core_described {
    const struct trm_graph_node **pointers;
    struct trm_graph_node *nodes;
    struct trm_module_source *sources;
    uint32_t count; /* of those that are not empty */
    uint64_t size;
};

/* Describes node number `index`, or all; `source` is storage of the caller. */
void core_exec_describe(const struct core_graph_exec *exec, uint32_t index, struct trm_graph_node *theirs,
                        struct trm_module_source *source);
int32_t core_exec_describe_all(const struct core_graph_exec *exec, struct core_described *described);

/* Enqueues all operations; `*value` is the last one, or 0 if none was enqueued. On an error the first of
 * them may be enqueued. */
int32_t core_exec_emulate(struct core_graph_exec *exec, struct core_stream *stream, uint64_t *value);

#endif
