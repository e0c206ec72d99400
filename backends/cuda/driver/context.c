/* cuda backend: the context that is current in a thread, and whose it is.
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

int32_t cuda_enter(struct trm_backend_device *device, CUcontext *previous)
{
    CUcontext current = NULL;
    *previous         = CUDA_NOT_ENTERED;
    CUresult result   = device->cuda->cuCtxGetCurrent(&current);
    if (TRM_UTIL_UNLIKELY(result != CUDA_SUCCESS))
        return cuda_device_fail(device, result, "cuCtxGetCurrent");
    if (current == device->context)
        return TRM_OK;
    result = device->cuda->cuCtxSetCurrent(device->context);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuCtxSetCurrent");
    *previous = current;
    return TRM_OK;
}

/* It cannot be put back where the caller has destroyed it elsewhere in the meantime: then no context is better than ours. */
void cuda_restore_context(struct trm_backend_device *device, CUcontext previous)
{
    if (device->cuda->cuCtxSetCurrent(previous) != CUDA_SUCCESS)
        (void)device->cuda->cuCtxSetCurrent(NULL);
}

/* ---- what streams need of it -------------------------------------------------------------------- */

struct trial {
    const struct cuda_functions *cuda;
    CUstream stream;
    CUevent event;
    CUdeviceptr memory;
    bool works;
};

/* Calls of each kind that name the stream, where no context is current. */
static bool works_without(const struct trial *trial)
{
    const struct cuda_functions *cuda = trial->cuda;
    if (cuda->cuMemsetD32Async(trial->memory, 0, 1, trial->stream) != CUDA_SUCCESS)
        return false;
    if (cuda->cuMemcpyDtoDAsync(trial->memory + sizeof(uint32_t), trial->memory, sizeof(uint32_t),
                                trial->stream) != CUDA_SUCCESS)
        return false;
    if (cuda->cuEventRecord(trial->event, trial->stream) != CUDA_SUCCESS)
        return false;
    if (cuda->cuStreamWaitEvent(trial->stream, trial->event, 0) != CUDA_SUCCESS)
        return false;
    CUresult result = cuda->cuEventQuery(trial->event);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        return false;
    result = cuda->cuStreamQuery(trial->stream);
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY;
}

static void *run_trial(void *argument)
{
    struct trial *trial = argument;
    trial->works        = works_without(trial);
    return NULL;
}

/* In a thread of its own, which has no context. The caller's thread may have several, of which only the uppermost can be known and put
 * back. */
static bool try_without(struct trial *trial)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_trial, trial) != 0)
        return false;
    pthread_join(thread, NULL);
    return trial->works;
}

/* With the context current. What cannot be tried is taken not to work. */
static bool try_streams(struct trm_backend_device *device)
{
    const struct cuda_functions *cuda = device->cuda;
    struct trial trial                = {.cuda = cuda};
    bool works                        = false;
    if (cuda->cuStreamCreateWithPriority(&trial.stream, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
        return false;
    if (cuda->cuEventCreate(&trial.event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
        goto destroy_stream;
    if (cuda->cuMemAlloc(&trial.memory, 2 * sizeof(uint32_t)) != CUDA_SUCCESS)
        goto destroy_event;
    works = try_without(&trial);
    (void)cuda->cuStreamSynchronize(trial.stream);
    (void)cuda->cuMemFree(trial.memory);
destroy_event:
    (void)cuda->cuEventDestroy(trial.event);
destroy_stream:
    (void)cuda->cuStreamDestroy(trial.stream);
    return works;
}

int32_t cuda_context_probe(struct trm_backend_device *device)
{
    CUcontext previous;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    device->needs_context = !try_streams(device);
    cuda_leave(device, previous);
    return TRM_OK;
}
