/* cuda backend: native handles, an application's events, and the interop table.
 * SPDX-License-Identifier: MIT
 */
#include "interop.h"

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/stream/stream.h"

/* ---- native handles -------------------------------------------------------------------------- */

static int32_t device_handle(struct trm_backend_device *device, int32_t type, uint64_t *handle)
{
    switch (type) {
    case TRM_NATIVE_CUDA_CONTEXT:
        *handle = (uintptr_t)device->context;
        return TRM_OK;
    case TRM_NATIVE_CUDA_DEVICE:
        *handle = (uint64_t)device->handle;
        return TRM_OK;
    default:
        return cuda_fail_handle_type(device->instance, type);
    }
}

static int32_t stream_handle(struct trm_backend_stream *stream, int32_t type, uint64_t *handle)
{
    if (type != TRM_NATIVE_CUDA_STREAM)
        return cuda_fail_handle_type(stream->device->instance, type);
    *handle = (uintptr_t)stream->handle;
    return TRM_OK;
}

static int32_t memory_handle(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                             uint64_t *offset)
{
    if (type != TRM_NATIVE_CUDA_POINTER)
        return cuda_fail_handle_type(memory->device->instance, type);
    *handle = memory->address;
    *offset = 0;
    return TRM_OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* An error in the handle is the caller's; any other concerns the device. */
static int32_t check_event_result(struct trm_backend_stream *stream, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return TRM_OK;
    if (result != CUDA_ERROR_INVALID_HANDLE && result != CUDA_ERROR_INVALID_VALUE &&
        result != CUDA_ERROR_INVALID_CONTEXT)
        return cuda_job_failed(stream, result, call);
    return trm_util_fail(stream->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, result,
                         "The CUevent cannot be used with this stream: %s answered %s.", call,
                         cuda_result_name(stream->device->instance, result));
}

static int32_t submit_wait(struct trm_backend_stream *stream, const void *what)
{
    CUevent event = *(const CUevent *)what;

    return check_event_result(stream, stream->device->cuda->cuStreamWaitEvent(stream->handle, event, 0),
                              "cuStreamWaitEvent");
}

static int32_t submit_record(struct trm_backend_stream *stream, const void *what)
{
    CUevent event = *(const CUevent *)what;

    return check_event_result(stream, stream->device->cuda->cuEventRecord(event, stream->handle),
                              "cuEventRecord");
}

/* The core has handed the stream over (trm_stream_hand_over()), so the job is submitted during the call. */
static int32_t submit_event(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native,
                            int32_t (*submit)(struct trm_backend_stream *stream, const void *what))
{
    CUevent event             = cuda_native_event(native);
    const struct cuda_job job = {submit, &event, sizeof(event)};

    if (type != TRM_NATIVE_CUDA_EVENT)
        return cuda_fail_handle_type(stream->device->instance, type);
    if (native == 0)
        return trm_util_fail(stream->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "The CUevent is NULL.");
    return cuda_stream_submit(stream, value, job);
}

static int32_t event_wait(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native)
{
    return submit_event(stream, value, type, native, submit_wait);
}

static int32_t event_record(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native)
{
    return submit_event(stream, value, type, native, submit_record);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct trm_interop_ops cuda_interop_ops = {
    .struct_size       = sizeof(cuda_interop_ops),
    .device_handle     = device_handle,
    .stream_handle     = stream_handle,
    .memory_handle     = memory_handle,
    .adopt             = cuda_device_adopt,
    .memory_create     = cuda_memory_create_exportable,
    .memory_export     = cuda_memory_export,
    .memory_import     = cuda_memory_import,
    .semaphore_create  = cuda_semaphore_create,
    .semaphore_import  = cuda_semaphore_import,
    .semaphore_export  = cuda_semaphore_export,
    .semaphore_destroy = cuda_semaphore_destroy,
    .semaphore_value   = cuda_semaphore_value,
    .semaphore_wait    = cuda_semaphore_wait,
    .semaphore_signal  = cuda_semaphore_signal,
    .stream_adopt      = cuda_stream_adopt,
    .memory_adopt      = cuda_memory_adopt,
    .hand_over         = cuda_stream_wait_submitted,
    .event_wait        = event_wait,
    .event_record      = event_record,
    .ipc_create        = cuda_ipc_create,
    .ipc_export        = cuda_ipc_export,
    .ipc_open          = cuda_ipc_open,
};
