/* cuda backend: the context that is current in a thread.
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

/* Restoring fails where the application has destroyed its context meanwhile. Then no context is better
 * than the device's. */
void cuda_restore_context(struct trm_backend_device *device, CUcontext previous)
{
    if (device->cuda->cuCtxSetCurrent(previous) != CUDA_SUCCESS)
        (void)device->cuda->cuCtxSetCurrent(NULL);
}

/* ---- probing --------------------------------------------------------------------------------- */

struct probe {
    const struct cuda_functions *cuda;
    CUstream stream;
    CUevent event;
    CUdeviceptr memory;
    bool works;
};

/* Make a call of each kind that names the stream, without a current context. */
static bool calls_work(const struct probe *probe)
{
    const struct cuda_functions *cuda = probe->cuda;
    if (cuda->cuMemsetD32Async(probe->memory, 0, 1, probe->stream) != CUDA_SUCCESS)
        return false;
    if (cuda->cuMemcpyDtoDAsync(probe->memory + sizeof(uint32_t), probe->memory, sizeof(uint32_t),
                                probe->stream) != CUDA_SUCCESS)
        return false;
    if (cuda->cuEventRecord(probe->event, probe->stream) != CUDA_SUCCESS)
        return false;
    if (cuda->cuStreamWaitEvent(probe->stream, probe->event, 0) != CUDA_SUCCESS)
        return false;
    CUresult result = cuda->cuEventQuery(probe->event);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        return false;
    result = cuda->cuStreamQuery(probe->stream);
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY;
}

static void *run_probe(void *argument)
{
    struct probe *probe = argument;
    probe->works        = calls_work(probe);
    return NULL;
}

/* Try in a thread of its own, which has no context. The caller's thread may have a stack of contexts, of
 * which only the top can be read and restored. */
static bool probe_without_context(struct probe *probe)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_probe, probe) != 0)
        return false;
    pthread_join(thread, NULL);
    return probe->works;
}

/* With the context current. What cannot be tried counts as not working. */
static bool probe_streams(struct trm_backend_device *device)
{
    const struct cuda_functions *cuda = device->cuda;
    struct probe probe                = {.cuda = cuda};
    bool works                        = false;
    if (cuda->cuStreamCreateWithPriority(&probe.stream, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
        return false;
    if (cuda->cuEventCreate(&probe.event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
        goto destroy_stream;
    if (cuda->cuMemAlloc(&probe.memory, 2 * sizeof(uint32_t)) != CUDA_SUCCESS)
        goto destroy_event;
    works = probe_without_context(&probe);
    (void)cuda->cuStreamSynchronize(probe.stream);
    (void)cuda->cuMemFree(probe.memory);
destroy_event:
    (void)cuda->cuEventDestroy(probe.event);
destroy_stream:
    (void)cuda->cuStreamDestroy(probe.stream);
    return works;
}

int32_t cuda_context_probe(struct trm_backend_device *device)
{
    CUcontext previous;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    device->needs_context = !probe_streams(device);
    cuda_leave(device, previous);
    return TRM_OK;
}
