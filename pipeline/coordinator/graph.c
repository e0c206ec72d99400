/* Tasks and their dependencies as a graph in DOT.
 *
 * Copies the tasks first: the text goes to a function of the program, which must not be called under the
 * lock.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/object/object.h"
#include "pipeline/coordinator/coordinator.h"
#include "pipeline/report/report.h"

struct node {
    uint64_t id;
    int32_t kind, state, status, priority;
    uint64_t submit; /* as of struct pipeline_task */
    uint64_t first;  /* of the edges */
    uint32_t after_count;
    char name[PIPELINE_TASK_NAME_BYTES];
};

struct picture {
    struct node *nodes;
    uint64_t *edges; /* ids that nodes come after */
    uint64_t node_count, edge_count;
    uint64_t node_capacity, edge_capacity;
};

/* ---- the copy ------------------------------------------------------------------------------- */

static void count_locked(const struct pipeline_coordinator *coordinator, uint64_t *nodes, uint64_t *edges)
{
    *nodes = coordinator->tasks;
    *edges = 0;
    for (uint64_t i = 0; i < coordinator->table_size; i++)
        for (const struct pipeline_task *task = coordinator->table[i]; task != NULL; task = task->in_table)
            *edges += task->after_count;
}

static void copy_task_locked(const struct pipeline_task *task, struct picture *picture)
{
    struct node *node = &picture->nodes[picture->node_count++];
    *node             = (struct node){.id       = task->id,
                                      .kind     = task->kind,
                                      .state    = task->state,
                                      .status   = task->status,
                                      .submit   = task->submit,
                                      .priority = task->priority};
    base_text_copy(node->name, sizeof(node->name), task->name);
    node->first       = picture->edge_count;
    node->after_count = task->after_count;
    for (uint32_t i = 0; i < node->after_count; i++)
        picture->edges[picture->edge_count++] = task->after[i];
}

/* False: there are more tasks than room. */
static bool copy_all(struct pipeline_coordinator *coordinator, struct picture *picture, uint64_t *nodes,
                     uint64_t *edges)
{
    base_lock_acquire(&coordinator->lock);
    count_locked(coordinator, nodes, edges);
    bool has_room = *nodes <= picture->node_capacity && *edges <= picture->edge_capacity;
    for (uint64_t i = 0; has_room && picture->nodes != NULL && i < coordinator->table_size; i++)
        for (const struct pipeline_task *task = coordinator->table[i]; task != NULL; task = task->in_table)
            copy_task_locked(task, picture);
    base_lock_release(&coordinator->lock);
    return has_room;
}

static void picture_fini(const struct core_context *context, struct picture *picture)
{
    core_free(context, picture->nodes, picture->node_capacity * sizeof(*picture->nodes));
    core_free(context, picture->edges, picture->edge_capacity * sizeof(*picture->edges));
}

static int32_t picture_init(struct pipeline_coordinator *coordinator, struct picture *picture)
{
    const struct core_context *context = coordinator->object.context;
    uint64_t nodes = 0, edges = 0;
    *picture = (struct picture){.node_count = 0};
    while (!copy_all(coordinator, picture, &nodes, &edges)) {
        picture_fini(context, picture);
        picture->node_capacity = nodes;
        picture->edge_capacity = edges + 1;
        picture->nodes         = core_allocate(context, nodes * sizeof(*picture->nodes));
        picture->edges         = core_allocate(context, (edges + 1) * sizeof(*picture->edges));
        if (picture->nodes == NULL || picture->edges == NULL) {
            picture->node_capacity = picture->nodes != NULL ? nodes : 0;
            picture->edge_capacity = picture->edges != NULL ? edges + 1 : 0;
            picture_fini(context, picture);
            return base_fail_memory("writing the graph of a coordinator");
        }
    }
    return TRM_OK;
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [TRM_TASK_UPLOAD] = "upload", [TRM_TASK_COMPUTE] = "compute", [TRM_TASK_DOWNLOAD] = "download",
    [TRM_TASK_COPY] = "copy",     [TRM_TASK_HOST] = "host",       [TRM_TASK_NOTHING] = "join",
    [TRM_TASK_FILL] = "fill",     [TRM_TASK_COPY_2D] = "copy 2D",
};

static bool is_added(const struct node *node)
{
    return node->state == PIPELINE_TASK_ADDED || node->state == PIPELINE_TASK_SUBMITTING;
}

static const char *state_of(const struct node *node)
{
    if (is_added(node))
        return "added";
    if (node->state == PIPELINE_TASK_STARTED)
        return "started";
    if (node->state < PIPELINE_TASK_STARTED)
        return "waiting";
    return node->status == TRM_OK ? "done" : trm_status_name(node->status);
}

static const char *style_of(const struct node *node)
{
    if (is_added(node))
        return "dashed";
    if (node->state < PIPELINE_TASK_SETTLED)
        return node->state == PIPELINE_TASK_STARTED ? "bold" : "solid";
    return "filled";
}

/* In a string of DOT: quotes and backslashes are escaped, control characters become '?'. */
static void write_name(struct pipeline_writer *writer, const char *name)
{
    for (; *name != '\0'; name++) {
        char out[2] = {'\\', *name};
        if ((unsigned char)*name < ' ' || *name == 127)
            pipeline_write_bytes(writer, "?", 1);
        else if (*name == '"' || *name == '\\')
            pipeline_write_bytes(writer, out, 2);
        else
            pipeline_write_bytes(writer, name, 1);
    }
}

static void write_node(struct pipeline_writer *writer, const struct node *node)
{
    pipeline_writef(writer, "  %" PRIu64 " [label=\"%" PRIu64, node->id, node->id);
    if (node->name[0] != '\0')
        pipeline_write(writer, " ");
    write_name(writer, node->name);
    pipeline_write(writer, "\\n");
    pipeline_writef(writer, "%s, ", kinds[node->kind]);
    if (node->priority != TRM_PRIORITY_NORMAL)
        pipeline_writef(writer, "%s priority, ", node->priority < TRM_PRIORITY_NORMAL ? "low" : "high");
    bool has_failed = node->state >= PIPELINE_TASK_SETTLED && node->status != TRM_OK;
    pipeline_writef(writer, "%s\", style=%s%s];\n", state_of(node), style_of(node),
                    has_failed ? ", fillcolor=salmon" : "");
}

static int compare_nodes(const void *one, const void *other)
{
    uint64_t a = ((const struct node *)one)->id, b = ((const struct node *)other)->id;
    return (a > b) - (a < b);
}

/* Whether a dependency is drawn as a task of the graph. An added task may come after one that is added later.
 * A submitted task may come after one that was forgotten, whose id is used again; its real dependency was
 * submitted with it or before. */
static bool comes_after(const struct picture *picture, const struct node *node, uint64_t id)
{
    const struct node wanted = {.id = id}, *from;
    if (is_added(node))
        return true;
    from = bsearch(&wanted, picture->nodes, picture->node_count, sizeof(wanted), compare_nodes);
    return from != NULL && from->submit != 0 && from->submit <= node->submit;
}

static void write_arrows(struct pipeline_writer *writer, const struct picture *picture,
                         const struct node *node)
{
    for (uint32_t at = 0; at < node->after_count; at++) {
        uint64_t from = picture->edges[node->first + at];
        if (comes_after(picture, node, from))
            pipeline_writef(writer, "  %" PRIu64 " -> %" PRIu64 ";\n", from, node->id);
    }
}

static int32_t write_picture(const struct picture *picture, trm_write_fn write, void *user)
{
    struct pipeline_writer writer;
    pipeline_writer_begin(&writer, write, user);
    pipeline_write(&writer, "digraph tasks {\n  node [shape=box];\n");
    for (uint64_t i = 0; i < picture->node_count; i++)
        write_node(&writer, &picture->nodes[i]);
    for (uint64_t i = 0; i < picture->node_count; i++)
        write_arrows(&writer, picture, &picture->nodes[i]);
    pipeline_write(&writer, "}\n");
    return pipeline_writer_end(&writer);
}

static int32_t write_graph(struct pipeline_coordinator *coordinator, trm_write_fn write, void *user)
{
    struct picture picture;
    if (write == NULL)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT, "trm_coordinator_write_graph: `write` is NULL");
    int32_t status = picture_init(coordinator, &picture);
    if (status != TRM_OK)
        return status;
    if (picture.node_count > 1)
        qsort(picture.nodes, picture.node_count, sizeof(*picture.nodes), compare_nodes);
    status = write_picture(&picture, write, user);
    picture_fini(coordinator->object.context, &picture);
    return status;
}

int32_t trm_coordinator_write_graph(struct trm_coordinator *handle, trm_write_fn write, void *user)
{
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    pipeline_flight_look(coordinator);
    int32_t status = write_graph(coordinator, write, user);
    core_object_leave(&coordinator->object);
    return status;
}
