/* cuda backend: timeline semaphores of other interfaces, by file descriptors.
 *
 * CUDA creates and exports none, and cannot read their value. So a stream's wait for one happens on the
 * device, and is the only thing that can make a stream wait for something that no driver has yet.
 * SPDX-License-Identifier: MIT
 */
#include <unistd.h>

#include "backends/cuda/stream/stream.h"
#include "interop.h"

/* highest: the value that streams of this process have raised it to, or will. */
struct trm_backend_semaphore {
    struct trm_backend_device *device;
    CUexternalSemaphore handle;
    _Atomic uint64_t highest;
};

static int32_t fail_unable(const struct trm_backend_device *device)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s cannot import semaphores: its driver is too old.", device->physical->name);
}

/* ---- creating and destroying ----------------------------------------------------------------- */

int32_t cuda_semaphore_create(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore)
{
    (void)semaphore;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "CUDA cannot create semaphores to share: create one with Vulkan and import it.");
}

int32_t cuda_semaphore_export(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd)
{
    (void)type;
    (void)fd;
    return trm_util_fail(semaphore->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "CUDA cannot export semaphores: export it where it was created.");
}

int32_t cuda_semaphore_value(struct trm_backend_semaphore *semaphore, uint64_t *current)
{
    (void)current;
    return trm_util_fail(
        semaphore->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
        "CUDA cannot read a semaphore's value: read it where it was created, or let a stream wait for it.");
}

/* The driver is given a copy of the descriptor, so the caller keeps its own if this fails. */
static int32_t import(struct trm_backend_device *device, int32_t fd, CUexternalSemaphore *handle)
{
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {.type =
                                                    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD};
    CUcontext previous;

    int32_t status = cuda_fd_duplicate(device, fd, &desc.handle.fd);
    if (status != TRM_OK)
        return status;
    status = cuda_enter(device, &previous);
    if (status != TRM_OK) {
        close(desc.handle.fd);
        return status;
    }
    CUresult result = device->cuda->cuImportExternalSemaphore(handle, &desc);
    cuda_leave(device, previous);
    if (result == CUDA_SUCCESS)
        return TRM_OK;
    close(desc.handle.fd);
    if (cuda_import_is_fatal(result) || result == CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_device_fail(device, result, "cuImportExternalSemaphore");
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, result,
                         "%s cannot import this semaphore: cuImportExternalSemaphore answered %s.",
                         device->physical->name, cuda_result_name(device->instance, result));
}

int32_t cuda_semaphore_import(struct trm_backend_device *device, int32_t type, int32_t fd,
                              struct trm_backend_semaphore **semaphore)
{
    const struct cuda_functions *cuda = device->cuda;
    int32_t status                    = cuda_device_check(device);

    if (status != TRM_OK)
        return status;
    if (type != TRM_HANDLE_OPAQUE_FD)
        return cuda_fail_handle_type(device->instance, type);
    if (cuda->cuImportExternalSemaphore == NULL || cuda->cuDestroyExternalSemaphore == NULL ||
        cuda->cuWaitExternalSemaphoresAsync == NULL || cuda->cuSignalExternalSemaphoresAsync == NULL)
        return fail_unable(device);
    struct trm_backend_semaphore *made = trm_util_allocate(device->instance->host, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a semaphore");
    made->device = device;
    status       = import(device, fd, &made->handle);
    if (status != TRM_OK) {
        trm_util_release(device->instance->host, made, sizeof(*made));
        return status;
    }
    close(fd);
    *semaphore = made;
    return TRM_OK;
}

void cuda_semaphore_destroy(struct trm_backend_semaphore *semaphore)
{
    struct trm_backend_device *device = semaphore->device;
    CUcontext previous;

    if (cuda_enter(device, &previous) == TRM_OK) {
        (void)device->cuda->cuDestroyExternalSemaphore(semaphore->handle);
        cuda_leave(device, previous);
    }
    trm_util_release(device->instance->host, semaphore, sizeof(*semaphore));
}

/* ---- on streams ------------------------------------------------------------------------------ */

/* The core keeps the semaphore until the operation has ended. */
struct point {
    CUexternalSemaphore handle;
    uint64_t value;
};

static int32_t submit_wait(struct trm_backend_stream *stream, const void *what)
{
    const struct point *wait                  = what;
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS until = {.params.fence.value = wait->value};
    struct trm_backend_device *device         = stream->device;
    CUcontext previous;

    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = device->cuda->cuWaitExternalSemaphoresAsync(&wait->handle, &until, 1, stream->handle);
    cuda_leave(device, previous);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_job_failed(stream, result, "cuWaitExternalSemaphoresAsync");
}

static int32_t submit_signal(struct trm_backend_stream *stream, const void *what)
{
    const struct point *signal               = what;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS to = {.params.fence.value = signal->value};
    struct trm_backend_device *device        = stream->device;
    CUcontext previous;

    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = device->cuda->cuSignalExternalSemaphoresAsync(&signal->handle, &to, 1, stream->handle);
    cuda_leave(device, previous);
    return result == CUDA_SUCCESS ? TRM_OK
                                  : cuda_job_failed(stream, result, "cuSignalExternalSemaphoresAsync");
}

int32_t cuda_semaphore_wait(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    const struct point point  = {semaphore->handle, semaphore_value};
    const struct cuda_job job = {submit_wait, &point, sizeof(point)};

    return cuda_stream_submit(stream, value, job);
}

/* Raises `highest`. Other processes may signal the semaphore too, which is not seen here. *before: the
 * last value. */
static int32_t claim(struct trm_backend_semaphore *semaphore, uint64_t wanted, uint64_t *before)
{
    *before = atomic_load_explicit(&semaphore->highest, memory_order_relaxed);
    do {
        if (wanted <= *before)
            return trm_util_fail(semaphore->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                                 "The semaphore has been raised to %llu and cannot be set to %llu.",
                                 (unsigned long long)*before, (unsigned long long)wanted);
    } while (!atomic_compare_exchange_weak_explicit(&semaphore->highest, before, wanted, memory_order_relaxed,
                                                    memory_order_relaxed));
    return TRM_OK;
}

int32_t cuda_semaphore_signal(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    const struct point point  = {semaphore->handle, semaphore_value};
    const struct cuda_job job = {submit_signal, &point, sizeof(point)};
    uint64_t before, claimed = semaphore_value;

    int32_t status = claim(semaphore, semaphore_value, &before);
    if (status != TRM_OK)
        return status;
    status = cuda_stream_submit(stream, value, job);
    if (status != TRM_OK) /* unless another thread has raised it further */
        (void)atomic_compare_exchange_strong(&semaphore->highest, &claimed, before);
    return status;
}
