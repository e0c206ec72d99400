/* vulkan backend: the open batch, and operations other than our own commands.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

#include "backends/vulkan/stream/service.h"

/* So much is submitted at once, since the submission then costs little in comparison. A submission takes an
 * H200 some 10 µs and the host 6 µs; copying so many bytes takes 80 µs. */
#define MUCH_OPERATIONS 64u
#define MUCH_BYTES (UINT64_C(4) << 20)
/* A command buffer of a graph counts as so many operations. */
#define COMMANDS_WORTH 8u

/* Waits of one batch, so that several batches fit in a submission. */
#define WAITS_MOST 32u

/* ---- the open batch -------------------------------------------------------------------------------- */

static void append_deferred(struct trm_backend_stream *stream, struct vulkan_batch *batch)
{
    batch->next = NULL;
    if (stream->deferred != NULL)
        stream->last_deferred->next = batch;
    else
        stream->deferred = batch;
    stream->last_deferred = batch;
}

/* A batch without noted operations stays open: commands that were recorded in vain become part of what
 * follows. */
int32_t vulkan_stream_close_batch(struct trm_backend_stream *stream)
{
    struct vulkan_batch *batch = stream->open;
    if (batch == NULL || batch->operations == 0)
        return TRM_OK;
    stream->open   = NULL;
    int32_t status = vulkan_batch_end(batch);
    if (status == TRM_OK) {
        append_deferred(stream, batch);
        return TRM_OK;
    }
    vulkan_batch_recycle(batch);
    vulkan_stream_break(stream, status, 0,
                        "The commands of the stream could not be finished "
                        "(vkEndCommandBuffer failed).");
    return status;
}

/* Makes sure that there is an open batch, and that no marked operation is in the middle of it. */
static int32_t ensure_open(struct trm_backend_stream *stream)
{
    int32_t status = TRM_OK;
    if (stream->open != NULL && stream->open->operations != 0 && stream->marked == stream->open->value)
        status = vulkan_stream_close_batch(stream);
    if (status != TRM_OK || stream->open != NULL)
        return status;
    vulkan_stream_reap(stream, stream->spare == NULL);
    return vulkan_batch_acquire(stream, &stream->open);
}

/* The same, for what must precede the batch's commands. */
static int32_t ensure_front(struct trm_backend_stream *stream)
{
    int32_t status                   = TRM_OK;
    const struct vulkan_batch *batch = stream->open;
    if (batch != NULL &&
        (batch->command_count != 0 || batch->signal_count != 0 || batch->wait_count >= WAITS_MOST))
        status = vulkan_stream_close_batch(stream);
    return status == TRM_OK ? ensure_open(stream) : status;
}

int32_t vulkan_stream_open(struct trm_backend_stream *stream, uint64_t value, struct vulkan_batch **batch)
{
    (void)value;
    int32_t status = ensure_open(stream);
    if (status == TRM_OK && !stream->open->recording)
        status = vulkan_batch_begin(stream->open);
    if (status == TRM_OK)
        *batch = stream->open;
    return status;
}

/* ---- noting operations ----------------------------------------------------------------------------- */

static void note_in(struct trm_backend_stream *stream, struct vulkan_batch *batch, uint64_t value)
{
    if (batch->operations++ == 0)
        batch->first = value;
    batch->value     = value;
    stream->enqueued = value;
}

static int32_t note(struct trm_backend_stream *stream, uint64_t value, uint32_t worth, uint64_t bytes)
{
    note_in(stream, stream->open, value);
    stream->waiting_operations += worth;
    stream->waiting_bytes += bytes;
    if (stream->waiting_operations >= MUCH_OPERATIONS || stream->waiting_bytes >= MUCH_BYTES)
        vulkan_stream_submit(stream, UINT64_MAX);
    return TRM_OK;
}

int32_t vulkan_stream_note(struct trm_backend_stream *stream, uint64_t value, uint64_t bytes)
{
    return note(stream, value, 1, bytes);
}

/* ---- operations ------------------------------------------------------------------------------------ */

int32_t vulkan_stream_add_nothing(struct trm_backend_stream *stream, uint64_t value)
{
    int32_t status = ensure_open(stream);
    return status == TRM_OK ? note(stream, value, 1, 0) : status;
}

int32_t vulkan_stream_add_commands(struct trm_backend_stream *stream, uint64_t value,
                                   VkCommandBuffer commands, const struct trm_backend_kernel *last_kernel)
{
    int32_t status = ensure_open(stream);
    if (status != TRM_OK)
        return status;
    struct vulkan_batch *batch = stream->open;
    status                     = vulkan_batch_end(batch);
    if (status != TRM_OK) {
        vulkan_stream_break(stream, status, 0,
                            "The commands of the stream could not be finished "
                            "(vkEndCommandBuffer failed).");
        return status;
    }
    status = vulkan_batch_add_commands(batch, commands);
    if (status != TRM_OK)
        return status;
    if (last_kernel != NULL)
        batch->last_kernel = last_kernel;
    return note(stream, value, COMMANDS_WORTH, 0);
}

int32_t vulkan_stream_add_job(struct trm_backend_stream *stream, uint64_t value, struct vulkan_job *job)
{
    struct vulkan_batch *batch;
    int32_t status = vulkan_service_start_copying(stream->device->service);
    if (status == TRM_OK)
        status = vulkan_stream_close_batch(stream);
    if (status == TRM_OK)
        status = vulkan_batch_acquire(stream, &batch);
    if (status != TRM_OK)
        return status;
    job->stream          = stream;
    batch->job           = job;
    stream->host_written = value;
    append_deferred(stream, batch);
    note_in(stream, batch, value);
    /* The copying thread works in parallel, so there is no reason to wait. */
    vulkan_stream_submit(stream, value);
    return TRM_OK;
}

int32_t vulkan_stream_add_gate(struct trm_backend_stream *stream, uint64_t value)
{
    stream->host_written = value;
    if (atomic_load(&stream->gates) >= value)
        return vulkan_stream_add_nothing(stream, value);
    int32_t status = ensure_front(stream);
    if (status != TRM_OK)
        return status;
    stream->open->gate = value;
    return note(stream, value, 1, 0);
}

int32_t vulkan_stream_add_wait(struct trm_backend_stream *stream, uint64_t value,
                               struct vulkan_timeline *timeline, uint64_t number)
{
    uint64_t completed;
    int32_t status = vulkan_timeline_read(timeline, number, &completed);
    if (status != TRM_OK)
        return status;
    stream->host_written = value;
    if (completed >= number)
        return vulkan_stream_add_nothing(stream, value);
    /* A deferred stream depends on the service. */
    status = vulkan_service_start(stream->device->service);
    if (status == TRM_OK)
        status = ensure_front(stream);
    if (status == TRM_OK)
        status = vulkan_batch_add_wait(stream->open, timeline, number);
    return status == TRM_OK ? note(stream, value, 1, 0) : status;
}

/* Signals take effect at the end of the batch, so the batch ends here. */
int32_t vulkan_stream_add_signal(struct trm_backend_stream *stream, uint64_t value,
                                 struct vulkan_timeline *timeline, uint64_t number)
{
    int32_t status = ensure_open(stream);
    if (status == TRM_OK)
        status = vulkan_batch_add_signal(stream->open, timeline, number);
    if (status != TRM_OK)
        return status;
    note(stream, value, 1, 0);
    return vulkan_stream_close_batch(stream);
}

/* Earlier operations stay on the old queue; the next submission waits for them. */
int32_t vulkan_stream_join_queue(struct trm_backend_stream *stream, struct vulkan_queue *queue)
{
    if (stream->queue == queue)
        return TRM_OK;
    int32_t status = vulkan_stream_close_batch(stream);
    if (status != TRM_OK)
        return status;
    vulkan_queue_release(stream->queue);
    stream->queue = vulkan_queue_retain(queue);
    if (stream->open != NULL) {
        vulkan_batch_recycle(stream->open);
        stream->open = NULL;
    }
    stream->recorder.can_compute = queue->can_compute;
    vulkan_record_clear_accesses(&stream->recorder);
    return TRM_OK;
}

int32_t vulkan_stream_change_queue(struct trm_backend_stream *stream, bool computes)
{
    if (stream->queue->can_compute == computes || (!computes && stream->device->queues.transfer_count == 0))
        return TRM_OK;
    return vulkan_stream_join_queue(
        stream, vulkan_queue_choose(stream->device, stream->role, stream->priority, computes));
}

int32_t vulkan_stream_to_compute(struct trm_backend_stream *stream)
{
    stream->computes = true;
    return vulkan_stream_change_queue(stream, true);
}
