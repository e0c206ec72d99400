/* cuda backend: the operations of a stream. One thread at a time enqueues.
 *
 * An operation that need not be deferred goes to the driver after one load of stream->submit_state,
 * without a lock.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/module/module.h"
#include "copy.h"
#include "deferred_submit.h"
#include "enqueue.h"
#include "fault.h"
#include "follow.h"
#include "launch.h"
#include "mark.h"
#include "replay.h"

struct prefetch {
    CUdeviceptr address;
    uint64_t size;
    CUmemLocation location;
};

/* ---- refused jobs ---------------------------------------------------------------------------- */

/* Which of two devices is lost. If the driver still answers for the stream, it is the other one. */
static struct trm_backend_device *find_lost_device(struct trm_backend_stream *stream,
                                                   struct trm_backend_device *other)
{
    CUcontext previous;
    if (other == stream->device || cuda_enter_stream(stream->device, &previous) != TRM_OK)
        return stream->device;
    CUresult result = stream->device->cuda->cuStreamQuery(stream->handle);
    cuda_leave(stream->device, previous);
    return cuda_is_sticky(result) ? stream->device : other;
}

int32_t cuda_job_failed_with(struct trm_backend_stream *stream, struct trm_backend_device *other,
                             CUresult result, const char *call)
{
    struct trm_backend_device *device =
        cuda_is_sticky(result) ? find_lost_device(stream, other) : stream->device;
    stream->job_failure_native = result;
    snprintf(stream->job_failure, sizeof(stream->job_failure), "%s, which had been deferred, answered %s.",
             call, cuda_result_name(device->instance, result));
    return cuda_device_fail(device, result, call);
}

int32_t cuda_job_failed(struct trm_backend_stream *stream, CUresult result, const char *call)
{
    return cuda_job_failed_with(stream, stream->device, result, call);
}

/* ---- copies and fills ------------------------------------------------------------------------ */

static int32_t submit_copy(struct trm_backend_stream *stream, const void *desc)
{
    CUresult result = cuda_copy_submit(stream->device, stream->handle, desc);
    return TRM_UTIL_LIKELY(result == CUDA_SUCCESS) ? TRM_OK : cuda_job_failed(stream, result, "A copy");
}

int32_t cuda_stream_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    const struct cuda_job copy = {submit_copy, desc, sizeof(*desc)};
    if (!TRM_UTIL_LIKELY(!cuda_copy_blocks(stream->device, desc)))
        return cuda_defer_job(stream, value, copy, true);
    return cuda_stream_submit(stream, value, copy);
}

static int32_t submit_copy_2d(struct trm_backend_stream *stream, const void *desc)
{
    CUresult result = cuda_copy_2d_submit(stream->device, stream->handle, desc);
    return TRM_UTIL_LIKELY(result == CUDA_SUCCESS) ? TRM_OK
                                                   : cuda_job_failed(stream, result, "A copy of rows");
}

int32_t cuda_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_copy_2d_desc *desc)
{
    const struct cuda_job copy = {submit_copy_2d, desc, sizeof(*desc)};
    if (cuda_copy_2d_blocks(stream->device, desc))
        return cuda_defer_job(stream, value, copy, true);
    return cuda_stream_submit(stream, value, copy);
}

static int32_t submit_fill(struct trm_backend_stream *stream, const void *desc)
{
    CUresult result = cuda_fill_submit(stream->device, stream->handle, desc);
    return TRM_UTIL_LIKELY(result == CUDA_SUCCESS) ? TRM_OK : cuda_job_failed(stream, result, "A fill");
}

int32_t cuda_stream_fill(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc)
{
    const struct cuda_job fill = {submit_fill, desc, sizeof(*desc)};
    if (cuda_fill_blocks(desc))
        return cuda_defer_job(stream, value, fill, true);
    return cuda_stream_submit(stream, value, fill);
}

/* ---- launches -------------------------------------------------------------------------------- */

static int32_t submit_launch(struct trm_backend_stream *stream, const void *what)
{
    const struct cuda_launch *launch = what;
    atomic_store_explicit(&stream->running, launch->kernel->name, memory_order_relaxed);
    if (TRM_UTIL_UNLIKELY(launch->reached != 0))
        cuda_follow_reached(stream, launch->reached);
    CUresult result = cuda_replay_launch(stream, launch);
    return TRM_UTIL_LIKELY(result == CUDA_SUCCESS) ? TRM_OK
                                                   : cuda_job_failed(stream, result, "cuLaunchKernel");
}

/* Fills in, and copies when the job is deferred, only as many bytes of the arguments as are used. */
int32_t cuda_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_launch_desc *desc)
{
    struct cuda_launch launch;
    int32_t status = cuda_launch_build(stream->device, desc, &launch);
    if (!TRM_UTIL_LIKELY(status == TRM_OK))
        return status;
    if (TRM_UTIL_UNLIKELY(desc->kernel->notes_faults))
        cuda_fault_write_address(stream, launch.arguments + desc->kernel->fault_offset);
    const uint32_t size       = (uint32_t)offsetof(struct cuda_launch, arguments) + launch.argument_bytes;
    const struct cuda_job job = {submit_launch, &launch, size};
    return cuda_stream_submit(stream, value, job);
}

/* ---- prefetches ------------------------------------------------------------------------------ */

static int32_t submit_prefetch(struct trm_backend_stream *stream, const void *what)
{
    const struct prefetch *prefetch = what;
    CUresult result = stream->device->cuda->cuMemPrefetchAsync(prefetch->address, prefetch->size,
                                                               prefetch->location, 0, stream->handle);
    /* A prefetch is a hint: memory that the driver does not move is no failure. */
    if (TRM_UTIL_LIKELY(result == CUDA_SUCCESS) || !cuda_is_sticky(result))
        return TRM_OK;
    return cuda_job_failed(stream, result, "cuMemPrefetchAsync");
}

static int32_t submit_nothing(struct trm_backend_stream *stream, const void *what)
{
    (void)stream;
    (void)what;
    return TRM_OK;
}

int32_t cuda_stream_prefetch(struct trm_backend_stream *stream, uint64_t value,
                             struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                             uint32_t to_host)
{
    const struct trm_backend_device *device = stream->device;
    bool moves = memory->source == CUDA_MEMORY_MANAGED && device->physical->concurrent_managed &&
                 device->cuda->cuMemPrefetchAsync != NULL;
    const struct prefetch prefetch = {
        .address  = memory->address + offset,
        .size     = size,
        .location = {.type = to_host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                     .id   = to_host ? 0 : device->handle},
    };
    const struct cuda_job job = {moves ? submit_prefetch : submit_nothing, &prefetch, sizeof(prefetch)};
    return cuda_stream_submit(stream, value, job);
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* There is no memory for a mark of `other`, and the enqueueing call has returned long ago. So the calling
 * thread waits for the point. */
static int32_t wait_on_host(struct trm_backend_stream *stream, struct trm_backend_stream *other,
                            uint64_t value)
{
    CUcontext previous;
    int32_t status = cuda_enter_stream(other->device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = other->device->cuda->cuStreamSynchronize(other->handle);
    cuda_leave(other->device, previous);
    if (result != CUDA_SUCCESS)
        return cuda_job_failed_with(stream, other->device, result, "cuStreamSynchronize");
    cuda_stream_note_completed(other, value);
    return TRM_OK;
}

static int32_t submit_deferred_mark(struct trm_backend_stream *stream, const void *what)
{
    uint64_t value = *(const uint64_t *)what;
    int32_t status = cuda_mark_record(stream, value);
    return status == TRM_ERROR_OUT_OF_HOST_MEMORY ? wait_on_host(stream, stream, value) : status;
}

/* What is complete needs no mark. */
int32_t cuda_stream_mark(struct trm_backend_stream *stream, uint64_t value)
{
    const struct cuda_job deferred = {submit_deferred_mark, &value, sizeof(value)};
    if (!cuda_stream_is_direct(stream))
        return cuda_defer_job(stream, value, deferred, false);
    return cuda_stream_completed(stream) >= value ? TRM_OK : cuda_mark_record(stream, value);
}

/* ---- waits for streams ----------------------------------------------------------------------- */

static CUresult wait_for_mark(struct trm_backend_stream *stream, const struct cuda_mark *mark)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    if (!TRM_UTIL_LIKELY(cuda_enter_stream(device, &previous) == TRM_OK))
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = device->cuda->cuStreamWaitEvent(stream->handle, mark->event, CU_EVENT_WAIT_DEFAULT);
    cuda_leave(device, previous);
    return result;
}

/* `other` is not destroyed meanwhile. */
static int32_t wait_for_point(struct trm_backend_stream *stream, struct trm_backend_stream *other,
                              uint64_t value)
{
    CUresult result;
    if (cuda_stream_completed(other) >= value)
        return TRM_OK;
    if (TRM_UTIL_UNLIKELY(stream->faults != NULL && other->faults != NULL) &&
        !cuda_fault_follow(stream, other))
        return trm_util_fail_host_memory(stream->device->instance->host, "a wait for a stream");
    cuda_follow(stream, other);
    struct cuda_mark *mark = cuda_mark_acquire(other, value, &result);
    if (!TRM_UTIL_LIKELY(mark != NULL))
        return result != CUDA_SUCCESS
                   ? cuda_job_failed_with(stream, other->device, result, "cuEventRecord")
                   : trm_util_fail_host_memory(stream->device->instance->host, "a mark in a stream");
    result = wait_for_mark(stream, mark);
    cuda_mark_release(mark);
    return TRM_UTIL_LIKELY(result == CUDA_SUCCESS)
               ? TRM_OK
               : cuda_job_failed_with(stream, other->device, result, "cuStreamWaitEvent");
}

/* A stream that is destroyed had completed. */
int32_t cuda_stream_wait_on_device(struct trm_backend_stream *stream, struct trm_backend_stream *other,
                                   uint64_t value)
{
    pthread_mutex_lock(&other->lock);
    bool exists = !other->destroyed;
    other->pins += exists ? 1 : 0;
    pthread_mutex_unlock(&other->lock);
    if (!exists)
        return TRM_OK;
    int32_t status = wait_for_point(stream, other, value);
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY)
        status = wait_on_host(stream, other, value);
    cuda_stream_unpin(other);
    return status;
}

int32_t cuda_stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_stream *other, uint64_t other_value)
{
    if (!cuda_stream_is_direct(stream) || !TRM_UTIL_LIKELY(cuda_stream_submitted(other) >= other_value))
        return cuda_defer_wait(stream, value, other, other_value);
    int32_t status = wait_for_point(stream, other, other_value);
    if (!TRM_UTIL_LIKELY(status == TRM_OK))
        return status;
    atomic_store_explicit(&stream->last_wait, value, memory_order_relaxed);
    cuda_stream_set_submitted(stream, value);
    return TRM_OK;
}

int32_t cuda_stream_gate(struct trm_backend_stream *stream, uint64_t value)
{
    if (!cuda_stream_is_direct(stream) || atomic_load(&stream->gates_opened) < value)
        return cuda_defer_gate(stream, value);
    cuda_stream_set_submitted(stream, value);
    return TRM_OK;
}
