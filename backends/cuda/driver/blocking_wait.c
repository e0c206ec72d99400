/* cuda backend: blocking a thread in the driver until an event is complete.
 *
 * An event that blocks (CU_EVENT_BLOCKING_SYNC) makes the device interrupt the host, which costs the
 * device about a microsecond each. So marks are plain events, and only a thread that really blocks pays: a
 * stream of the waiter's own waits for the mark and then records an event that blocks, and the thread
 * waits for that one.
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

/* What one thread blocks with. */
struct waiter {
    struct waiter *next;
    CUstream stream;
    CUevent event;
};

struct cuda_blocking_waits {
    struct trm_backend_device *device;
    pthread_mutex_t lock;   /* taken under any other lock */
    struct waiter *waiters; /* not in use */
};

/* ---- waiters --------------------------------------------------------------------------------- */

static void waiter_destroy(struct trm_backend_device *device, struct waiter *waiter)
{
    if (waiter->event != NULL)
        (void)device->cuda->cuEventDestroy(waiter->event);
    if (waiter->stream != NULL)
        (void)device->cuda->cuStreamDestroy(waiter->stream);
    trm_util_release(device->instance->host, waiter, sizeof(*waiter));
}

static bool waiter_init(struct trm_backend_device *device, struct waiter *waiter)
{
    const struct cuda_functions *cuda = device->cuda;
    return cuda->cuStreamCreateWithPriority(&waiter->stream, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS &&
           cuda->cuEventCreate(&waiter->event, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC) ==
               CUDA_SUCCESS;
}

static struct waiter *waiter_create(struct trm_backend_device *device)
{
    CUcontext previous;
    sigset_t before;
    struct waiter *waiter = trm_util_allocate(device->instance->host, sizeof(*waiter));
    if (waiter == NULL)
        return NULL;
    if (cuda_enter(device, &previous) != TRM_OK) {
        trm_util_release(device->instance->host, waiter, sizeof(*waiter));
        return NULL;
    }
    trm_util_signals_block(&before);
    if (!waiter_init(device, waiter)) {
        waiter_destroy(device, waiter);
        waiter = NULL;
    }
    trm_util_signals_restore(&before);
    cuda_leave(device, previous);
    return waiter;
}

static struct waiter *acquire_waiter(struct cuda_blocking_waits *blocking_waits)
{
    pthread_mutex_lock(&blocking_waits->lock);
    struct waiter *waiter = blocking_waits->waiters;
    if (waiter != NULL)
        blocking_waits->waiters = waiter->next;
    pthread_mutex_unlock(&blocking_waits->lock);
    return waiter != NULL ? waiter : waiter_create(blocking_waits->device);
}

static void release_waiter(struct cuda_blocking_waits *blocking_waits, struct waiter *waiter)
{
    pthread_mutex_lock(&blocking_waits->lock);
    waiter->next            = blocking_waits->waiters;
    blocking_waits->waiters = waiter;
    pthread_mutex_unlock(&blocking_waits->lock);
}

static CUresult block_with(const struct cuda_functions *cuda, const struct waiter *waiter, CUevent event)
{
    CUresult result = cuda->cuStreamWaitEvent(waiter->stream, event, CU_EVENT_WAIT_DEFAULT);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(waiter->event, waiter->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(waiter->event);
    return result;
}

/* Without memory for a waiter, wait for the event itself, as the driver does. */
CUresult cuda_blocking_wait(struct trm_backend_device *device, CUevent event)
{
    CUcontext previous;
    struct waiter *waiter = acquire_waiter(device->blocking_waits);
    if (cuda_enter_stream(device, &previous) != TRM_OK) {
        if (waiter != NULL)
            release_waiter(device->blocking_waits, waiter);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    CUresult result = waiter != NULL ? block_with(device->cuda, waiter, event) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS && !cuda_is_sticky(result))
        result = device->cuda->cuEventSynchronize(event);
    cuda_leave(device, previous);
    if (waiter != NULL)
        release_waiter(device->blocking_waits, waiter);
    return result;
}

/* ---- opening and closing --------------------------------------------------------------------- */

int32_t cuda_blocking_waits_open(struct trm_backend_device *device)
{
    struct cuda_blocking_waits *blocking_waits =
        trm_util_allocate(device->instance->host, sizeof(*blocking_waits));
    if (blocking_waits == NULL)
        return trm_util_fail_host_memory(device->instance->host, "blocking waits");
    blocking_waits->device = device;
    pthread_mutex_init(&blocking_waits->lock, NULL);
    device->blocking_waits = blocking_waits;
    return TRM_OK;
}

static void destroy_all(struct cuda_blocking_waits *blocking_waits)
{
    struct trm_backend_device *device = blocking_waits->device;
    CUcontext previous;
    if (blocking_waits->waiters == NULL)
        return;
    (void)cuda_enter(device, &previous);
    while (blocking_waits->waiters != NULL) {
        struct waiter *waiter   = blocking_waits->waiters;
        blocking_waits->waiters = waiter->next;
        waiter_destroy(device, waiter);
    }
    cuda_leave(device, previous);
}

void cuda_blocking_waits_close(struct trm_backend_device *device)
{
    struct cuda_blocking_waits *blocking_waits = device->blocking_waits;
    if (blocking_waits == NULL)
        return;
    destroy_all(blocking_waits);
    pthread_mutex_destroy(&blocking_waits->lock);
    trm_util_release(device->instance->host, blocking_waits, sizeof(*blocking_waits));
    device->blocking_waits = NULL;
}
