/* cuda backend: resident graphs.
 *
 * The table has a record for each node, and behind them the arguments of launches, each at a multiple of 16.
 * The kernel copies it to shared memory when its version changes, so a graph changes only while it is idle.
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/module/module.h"
#include "backends/cuda/stream/stream.h"
#include "stream.h"

#define ALIGNMENT 16u
#define SHARED_MOST 49152u /* bytes of shared memory that a group has without opting in */
#define GROUPS_LEAST 2u    /* one group does the work of so many in the time of a barrier among them */
#define UNITS_EACH 16u     /* multiprocessors for each group of one stream */
#define GROUPS_DEFAULT 8u

static const struct trm_host *host_of(const struct cuda_resident_graph *graph)
{
    return graph->device->instance->host;
}

static struct cuda_resident_graph *graph_of(struct trm_backend_graph *graph)
{
    return (struct cuda_resident_graph *)(void *)graph;
}

static uint32_t align(uint32_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- writing nodes --------------------------------------------------------------------------- */

static struct cuda_resident_record *record_of(const struct cuda_resident_graph *graph, uint32_t index)
{
    return (struct cuda_resident_record *)graph->table + index;
}

static int32_t write_launch(struct cuda_resident_graph *graph, uint32_t index,
                            const struct trm_launch_desc *given)
{
    const struct cuda_resident_node *node = &graph->nodes[index];
    struct trm_launch_desc desc           = *given;
    struct cuda_launch launch;
    desc.kernel    = (struct trm_backend_kernel *)(uintptr_t)node->kernel;
    int32_t status = cuda_launch_build(graph->device, &desc, &launch);
    if (status != TRM_OK)
        return status;
    uint64_t groups = (uint64_t)launch.groups[0] * launch.groups[1];
    if (groups > INT32_MAX || groups * launch.groups[2] > INT32_MAX)
        return trm_util_fail(
            host_of(graph), TRM_ERROR_UNSUPPORTED, 0,
            "A launch of '%.100s' has too many groups for a kernel that stays on the device.",
            node->kernel->name);
    struct cuda_resident_record *record = record_of(graph, index);
    *record = (struct cuda_resident_record){.kernel = node->number, .at = node->at};
    memcpy(record->groups, launch.groups, sizeof(record->groups));
    memcpy((char *)graph->table + node->at, launch.arguments, launch.argument_bytes);
    return TRM_OK;
}

static int32_t write_copy(struct cuda_resident_graph *graph, uint32_t index, const struct trm_copy_desc *copy)
{
    if (!cuda_place_is_reachable(graph->device, &copy->destination, copy->size) ||
        !cuda_place_is_reachable(graph->device, &copy->source, copy->size))
        return trm_util_fail(
            host_of(graph), TRM_ERROR_UNSUPPORTED, 0,
            "A kernel that stays on the device copies pinned and registered host memory alone; "
            "memory of the program is neither.");
    *record_of(graph, index) = (struct cuda_resident_record){
        .kernel = CUDA_RESIDENT_COPY,
        .at     = cuda_place_address(&copy->destination),
        .from   = cuda_place_address(&copy->source),
        .bytes  = copy->size,
    };
    return TRM_OK;
}

static int32_t write_node(struct cuda_resident_graph *graph, uint32_t index,
                          const struct trm_graph_node *node)
{
    return node->kind == TRM_GRAPH_LAUNCH ? write_launch(graph, index, node->launch)
                                          : write_copy(graph, index, node->copy);
}

/* ---- creating -------------------------------------------------------------------------------- */

static void lay_out(struct cuda_resident_graph *graph)
{
    uint32_t bytes = align(graph->count * (uint32_t)sizeof(struct cuda_resident_record));
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i].kind != TRM_GRAPH_LAUNCH)
            continue;
        graph->nodes[i].at = bytes;
        bytes += align(graph->nodes[i].kernel->argument_bytes);
    }
    graph->table_bytes = bytes;
}

static int32_t check_shared(const struct cuda_resident_graph *graph)
{
    int shared      = 0;
    CUresult result = graph->device->cuda->cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                                              graph->function);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(graph->device, result, "cuFuncGetAttribute");
    if ((uint64_t)shared + graph->table_bytes <= SHARED_MOST)
        return TRM_OK;
    return trm_util_fail(
        host_of(graph), TRM_ERROR_UNSUPPORTED, 0,
        "The kernels of the graph use %d bytes of shared memory and their arguments %u; a kernel "
        "that stays on the device has %u.",
        shared, graph->table_bytes, SHARED_MOST);
}

static int32_t pin_table(struct cuda_resident_graph *graph)
{
    CUcontext previous;
    int32_t status = cuda_enter(graph->device, &previous);
    if (status != TRM_OK)
        return status;
    status = check_shared(graph);
    if (status == TRM_OK) {
        cuda_quiet_begin(graph->device);
        CUresult result =
            cuda_memory_pin(graph->device, graph->table_bytes, &graph->table_address, &graph->table);
        cuda_quiet_end(graph->device);
        status = result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(graph->device, result, "cuMemHostAlloc");
    }
    cuda_leave(graph->device, previous);
    if (status == TRM_OK)
        memset(graph->table, 0, graph->table_bytes);
    return status;
}

/* How many groups of the program the largest node keeps busy. */
static uint32_t groups_needed(const struct cuda_resident_graph *graph)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct cuda_resident_record *record = record_of(graph, i);
        uint64_t items                            = record->bytes / ALIGNMENT;
        if (record->kernel != CUDA_RESIDENT_COPY)
            items =
                (uint64_t)record->groups[0] * record->groups[1] * record->groups[2] * graph->nodes[i].items;
        uint64_t groups = (items + graph->threads - 1) / graph->threads;
        most            = groups > most ? groups : most;
    }
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Groups that wait for each other must all be on the device, which only a cooperative launch grants. */
static uint32_t choose_groups(const struct cuda_resident_graph *graph)
{
    const struct trm_backend_device *device = graph->device;
    char text[32];
    uint64_t needed = 0;
    uint32_t most = GROUPS_DEFAULT, share = (uint32_t)device->physical->units / UNITS_EACH;
    uint32_t wanted = groups_needed(graph);
    if (host_of(graph)->get_setting(host_of(graph)->context, "cuda.resident.groups", text, sizeof(text),
                                    &needed) == TRM_OK &&
        text[0] != '\0')
        most = (uint32_t)strtoul(text, NULL, 10);
    if (device->cuda->cuLaunchCooperativeKernel == NULL || most < 1)
        most = 1;
    if (most > share && share >= 1)
        most = share;
    return wanted <= GROUPS_LEAST ? 1 : wanted < most ? wanted : most;
}

static void release(struct cuda_resident_graph *graph)
{
    CUcontext previous;
    cuda_quiet_begin(graph->device);
    cuda_module_destroy(graph->module);
    if (graph->table != NULL && cuda_enter(graph->device, &previous) == TRM_OK) {
        (void)graph->device->cuda->cuMemFreeHost(graph->table);
        cuda_leave(graph->device, previous);
    }
    cuda_quiet_end(graph->device);
    trm_util_release(host_of(graph), graph, graph->size);
}

static int32_t fill(struct cuda_resident_graph *graph, const struct trm_graph_node *const *nodes)
{
    int32_t status = cuda_resident_program_create(graph, nodes);
    if (status != TRM_OK)
        return status;
    lay_out(graph);
    status = pin_table(graph);
    for (uint32_t i = 0; i < graph->count && status == TRM_OK; i++)
        status = write_node(graph, i, nodes[i]);
    if (status == TRM_OK)
        graph->groups = choose_groups(graph);
    return status;
}

static int32_t graph_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **result)
{
    uint64_t size  = sizeof(struct cuda_resident_graph) + count * sizeof(struct cuda_resident_node);
    int32_t status = cuda_device_check(device);
    if (status != TRM_OK)
        return status;
    struct cuda_resident_graph *graph = trm_util_allocate(device->instance->host, size);
    if (graph == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a resident graph");
    graph->device = device;
    graph->size   = size;
    graph->count  = count;
    status        = fill(graph, nodes);
    if (status != TRM_OK) {
        release(graph);
        return status;
    }
    *result = (struct trm_backend_graph *)(void *)graph;
    return TRM_OK;
}

static void graph_destroy(struct trm_backend_graph *given)
{
    struct cuda_resident_graph *graph = graph_of(given);
    cuda_resident_forget(graph);
    release(graph);
}

static int32_t graph_launch(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_graph *graph)
{
    return cuda_resident_submit(stream, value, graph_of(graph));
}

static int32_t graph_update(struct trm_backend_graph *given, uint32_t index,
                            const struct trm_graph_node *node)
{
    struct cuda_resident_graph *graph = graph_of(given);
    int32_t status                    = cuda_device_check(graph->device);
    if (status == TRM_OK)
        status = write_node(graph, index, node);
    atomic_fetch_add_explicit(&graph->version, 1, memory_order_release);
    return status;
}

const struct trm_graph_ops cuda_resident_graph_ops = {
    .struct_size = sizeof(cuda_resident_graph_ops),
    .create      = graph_create,
    .destroy     = graph_destroy,
    .launch      = graph_launch,
    .update      = graph_update,
};
