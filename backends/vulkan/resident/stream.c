/* vulkan backend: the tables of resident streams and graphs.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/graph/graph.h"
#include "line.h"
#include "resident.h"

static struct vulkan_resident *resident_of(struct trm_backend_stream *stream)
{
    return (struct vulkan_resident *)(void *)stream;
}

/* ---- streams --------------------------------------------------------------------------------------- */

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **stream)
{
    (void)desc;
    int32_t status = vulkan_device_check(device);
    if (status != TRM_OK)
        return status;
    struct vulkan_resident *resident = trm_util_allocate(device->instance->host, sizeof(*resident));
    if (resident == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a resident stream");
    status = vulkan_line_join(device, resident);
    if (status == TRM_OK)
        *stream = (struct trm_backend_stream *)(void *)resident;
    else
        trm_util_release(device->instance->host, resident, sizeof(*resident));
    return status;
}

static void stream_destroy(struct trm_backend_stream *stream)
{
    struct vulkan_resident *resident  = resident_of(stream);
    struct trm_backend_device *device = resident->line->device;
    vulkan_line_leave(resident);
    trm_util_release(device->instance->host, resident, sizeof(*resident));
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    return vulkan_line_query(resident_of(stream), completed);
}

static int32_t stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    return vulkan_line_wait(resident_of(stream), value, timeout_ns);
}

static int32_t refuse(struct trm_backend_stream *stream)
{
    return trm_util_fail(resident_of(stream)->line->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "A resident stream runs resident graphs alone.");
}

static int32_t stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    (void)value;
    (void)desc;
    return refuse(stream);
}

static int32_t stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    (void)value;
    (void)desc;
    return refuse(stream);
}

static const struct trm_stream_ops stream_ops = {
    .struct_size = sizeof(stream_ops),
    .create      = stream_create,
    .destroy     = stream_destroy,
    .copy        = stream_copy,
    .launch      = stream_launch,
    .query       = stream_query,
    .wait        = stream_wait,
};

/* ---- graphs ---------------------------------------------------------------------------------------- */

/* Time stamps are reset by the host, when they are not in use. */
static int32_t graph_launch(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_graph *graph)
{
    struct vulkan_resident *resident = resident_of(stream);
    VkCommandBuffer command;
    int32_t status = vulkan_device_check(resident->line->device);
    if (status == TRM_OK && vulkan_graph_has_stamps(graph))
        status = vulkan_line_wait(resident, resident->enqueued, TRM_FOREVER);
    bool has_barrier = vulkan_line_begins(resident->line);
    if (status == TRM_OK)
        status = vulkan_graph_commands(graph, resident->line->queue, has_barrier, &command);
    if (status != TRM_OK)
        return status;
    return vulkan_line_submit(resident, value, vulkan_graph_lands(graph) ? graph : NULL, command,
                              has_barrier);
}

static const struct trm_graph_ops graph_ops = {
    .struct_size = sizeof(graph_ops),
    .create      = vulkan_graph_create_resident,
    .destroy     = vulkan_graph_destroy,
    .launch      = graph_launch,
    .update      = vulkan_graph_update,
};

static int32_t stream_times(struct trm_backend_stream *stream, uint64_t value, uint64_t *begin, uint64_t *end)
{
    return vulkan_line_times(resident_of(stream), value, begin, end);
}

const struct trm_resident_ops vulkan_resident_ops = {
    .struct_size = sizeof(vulkan_resident_ops),
    .stream      = &stream_ops,
    .graph       = &graph_ops,
    .times       = stream_times,
};
