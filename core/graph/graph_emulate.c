/* Graphs: launching an instance operation by operation, where the backend has no graphs.
 *
 * The operations were checked when they were recorded. They get consecutive numbers, and the launch adds
 * only the last one to the buffers' in_flight.
 * SPDX-License-Identifier: MIT
 */
#include "core/graph/graph.h"
#include "core/memory/memory.h"

/* The beginning of row number `row` of one side. */
static struct trm_place row_of(struct trm_place place, uint64_t pitch, uint64_t row)
{
    if (place.memory != NULL)
        place.offset += row * pitch;
    else
        place.host = (char *)place.host + row * pitch;
    return place;
}

static int32_t enqueue_rows(struct core_stream *stream, const struct trm_copy_2d_desc *desc)
{
    int32_t status = TRM_OK;

    for (uint64_t row = 0; row < desc->height && status == TRM_OK; row++)
        status = core_copy_enqueue(stream, row_of(desc->destination, desc->destination_pitch, row),
                                   row_of(desc->source, desc->source_pitch, row), desc->width);
    return status;
}

static int32_t enqueue_copy_2d(struct core_stream *stream, const struct trm_copy_2d_desc *desc)
{
    if (stream->ops->copy_2d == NULL)
        return enqueue_rows(stream, desc);
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    return core_stream_commit_work(
        stream, value, "stream.copy_2d", stream->ops->copy_2d(stream->backend, value, desc),
        core_copy_kind(desc->destination, desc->source), desc->width * desc->height);
}

static int32_t enqueue_launch(struct core_stream *stream, const struct core_node *node)
{
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    return core_kernel_commit(stream, value, stream->ops->launch(stream->backend, value, &node->launch),
                              node->kernel);
}

static int32_t enqueue_fill(struct core_stream *stream, const struct core_node *node)
{
    const struct trm_fill_desc *desc = &node->fill;
    struct core_buffer *buffer       = base_container_of(node->uses[0], struct core_buffer, in_flight);
    return core_fill_buffer(stream, buffer, desc->offset - buffer->base, desc->size, desc->pattern,
                            desc->pattern_size);
}

static int32_t enqueue_image_copy(struct core_stream *stream, const struct trm_image_copy_desc *desc)
{
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    return core_stream_commit_work(stream, value, "image.copy",
                                   stream->device->backend->image.copy(stream->backend, value, desc),
                                   CORE_WORK_COPY, 0);
}

static int32_t enqueue_image_transfer(struct core_stream *stream, const struct trm_image_transfer_desc *desc)
{
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    return core_stream_commit_work(stream, value, "image.transfer",
                                   stream->device->backend->image.transfer(stream->backend, value, desc),
                                   CORE_WORK_COPY, 0);
}

static int32_t enqueue(struct core_stream *stream, const struct core_node *node)
{
    if (node->is_empty)
        return TRM_OK;
    switch (node->kind) {
    case CORE_NODE_COPY_2D:
        return enqueue_copy_2d(stream, &node->copy_2d);
    case CORE_NODE_FILL:
        return enqueue_fill(stream, node);
    case CORE_NODE_LAUNCH:
        return enqueue_launch(stream, node);
    case CORE_NODE_TIMESTAMP:
        return core_event_record(node->event, stream);
    case CORE_NODE_IMAGE_COPY:
        return enqueue_image_copy(stream, &node->image_copy);
    case CORE_NODE_IMAGE_TRANSFER:
        return enqueue_image_transfer(stream, &node->image_transfer);
    default:
        return core_copy_enqueue(stream, node->copy.destination, node->copy.source, node->copy.size);
    }
}

int32_t core_exec_emulate(struct core_graph_exec *exec, struct core_stream *stream, uint64_t *value)
{
    uint64_t before = core_stream_next(stream) - 1;
    int32_t status  = TRM_OK;

    for (uint32_t i = 0; i < exec->count && status == TRM_OK; i++)
        status = enqueue(stream, exec->nodes[i]);
    uint64_t last = core_stream_next(stream) - 1;
    *value        = last != before ? last : 0;
    return status;
}
