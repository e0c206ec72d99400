/* Operations of tasks: enqueuing one on a stream, and checking whether a stream would take it. The check
 * calls the same functions on a stream whose operations do nothing, so trm_coordinator_submit() refuses what
 * would fail later, in the same words.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "core/memory/memory.h"
#include "pipeline/coordinator/coordinator.h"

struct checker_memory {
    struct core_stream stream;
    struct trm_stream_stats stats;
};

/* ---- operations that do nothing ------------------------------------------------------------- */

static int32_t nothing_copied(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_desc *desc)
{
    (void)stream, (void)value, (void)desc;
    return TRM_OK;
}

static int32_t nothing_launched(struct trm_backend_stream *stream, uint64_t value,
                                const struct trm_launch_desc *desc)
{
    (void)stream, (void)value, (void)desc;
    return TRM_OK;
}

static int32_t nothing_copied_2d(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_copy_2d_desc *desc)
{
    (void)stream, (void)value, (void)desc;
    return TRM_OK;
}

static int32_t nothing_filled(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_fill_desc *desc)
{
    (void)stream, (void)value, (void)desc;
    return TRM_OK;
}

static const struct trm_stream_ops checker_ops = {
    .struct_size = sizeof(checker_ops),
    .copy        = nothing_copied,
    .launch      = nothing_launched,
    .copy_2d     = nothing_copied_2d,
    .fill        = nothing_filled,
};

/* ---- the checking stream -------------------------------------------------------------------- */

/* Buffers and modules may hold references to a checker for longer than the coordinator lives. They only ask
 * whether its work has ended, which is always so. */
static void checker_release(struct core_object *object)
{
    struct core_stream *stream = (struct core_stream *)object;
    core_stream_free_failure(stream);
    core_free(object->context, stream, sizeof(struct checker_memory));
}

static const struct core_object_ops checker_object_ops = {
    .type    = CORE_STREAM,
    .name    = "stream",
    .source  = __FILE__,
    .release = checker_release,
};

static int32_t create(struct core_device *device, struct core_stream **out)
{
    struct core_context *context  = device->object.context;
    struct checker_memory *memory = core_allocate(context, sizeof(*memory));
    if (memory == NULL)
        return base_fail_memory("making a coordinator");
    struct core_stream *stream = &memory->stream;
    stream->device             = device;
    stream->ops                = &checker_ops;
    stream->stats              = &memory->stats;
    atomic_init(&stream->flags, CORE_STREAM_INTERNAL);
    atomic_init(&stream->completed, UINT64_MAX);
    int32_t status = core_object_init(&stream->object, &checker_object_ops, context);
    if (status != TRM_OK) {
        core_free(context, memory, sizeof(*memory));
        return status;
    }
    core_object_publish(&stream->object);
    *out = stream;
    return TRM_OK;
}

int32_t pipeline_checkers_create(struct pipeline_coordinator *coordinator)
{
    const struct pipeline_stream_pool *pool = coordinator->pool;
    uint32_t count                          = pool != NULL ? pipeline_pool_devices(pool) : 1;
    int32_t status                          = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < count; i++)
        status = create(pool != NULL ? pipeline_pool_device(pool, i) : coordinator->device,
                        &coordinator->checkers[i]);
    if (status != TRM_OK)
        pipeline_checkers_destroy(coordinator);
    return status;
}

void pipeline_checkers_destroy(struct pipeline_coordinator *coordinator)
{
    for (uint32_t i = 0; i < TRM_GROUP_DEVICES && coordinator->checkers[i] != NULL; i++) {
        core_stream_close(coordinator->checkers[i]);
        core_object_kill(&coordinator->checkers[i]->object);
    }
}

/* ---- tasks ---------------------------------------------------------------------------------- */

int32_t pipeline_task_enqueue(struct core_stream *stream, const struct trm_task *task)
{
    struct trm_stream *handle = stream->object.handle;
    switch (task->kind) {
    case TRM_TASK_UPLOAD:
        return trm_upload(handle, task->destination, task->host_source);
    case TRM_TASK_COMPUTE:
        return trm_launch(handle, task->kernel, &task->grid, task->arguments, task->argument_count);
    case TRM_TASK_DOWNLOAD:
        return trm_download(handle, task->host_destination, task->source);
    case TRM_TASK_FILL:
        return trm_fill(handle, task->destination, task->pattern, task->pattern_size);
    case TRM_TASK_COPY_2D:
        return trm_copy_2d(handle, &task->destination_rows, &task->source_rows, task->width, task->height);
    default:
        return trm_copy(handle, task->destination, task->source);
    }
}

/* A copy between two devices takes several operations, so this checks the buffers instead, as far as it can.
 * True: they belong to two devices, or *status is an error. */
static bool is_foreign_copy(const struct core_stream *checker, const struct trm_task *task, int32_t *status)
{
    struct core_buffer *to, *from;
    uint64_t to_length, from_length;
    struct trm_span destination = task->destination, source = task->source;
    if (destination.length == TRM_WHOLE)
        destination.length = source.length;
    else if (source.length == TRM_WHOLE)
        source.length = destination.length;
    *status = core_span_resolve(destination, &to, &to_length);
    if (*status == TRM_OK)
        *status = core_span_resolve(source, &from, &from_length);
    if (*status == TRM_OK)
        *status = core_copy_check_devices(checker, to, from);
    if (*status != TRM_OK)
        return true;
    if (to->device == from->device)
        return false;
    if (to_length != from_length)
        *status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "source and destination of a copy differ in length");
    return true;
}

/* The same for a copy of rows, whose offsets are checked when the copy is enqueued. */
static bool is_foreign_copy_2d(const struct core_stream *checker, const struct trm_task *task,
                               int32_t *status)
{
    struct core_buffer *to, *from;
    uint64_t length;
    *status = TRM_OK;
    if (task->destination_rows.buffer == NULL || task->source_rows.buffer == NULL)
        return false;
    *status = core_span_resolve(trm_span_whole(task->destination_rows.buffer), &to, &length);
    if (*status == TRM_OK)
        *status = core_span_resolve(trm_span_whole(task->source_rows.buffer), &from, &length);
    if (*status == TRM_OK)
        *status = core_copy_check_devices(checker, to, from);
    return *status != TRM_OK || to->device != from->device;
}

int32_t pipeline_task_check(struct core_stream *checker, const struct trm_task *task)
{
    int32_t status;
    if (task->kind == TRM_TASK_HOST || task->kind == TRM_TASK_NOTHING)
        return TRM_OK;
    if (task->kind == TRM_TASK_COPY && is_foreign_copy(checker, task, &status))
        return status;
    if (task->kind == TRM_TASK_COPY_2D && is_foreign_copy_2d(checker, task, &status))
        return status;
    return pipeline_task_enqueue(checker, task);
}
