/* cuda backend: sleeping in the driver.
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

/* What a thread sleeps with. */
struct sleeper {
    struct sleeper *next;
    CUstream stream;
    CUevent event;
};

struct cuda_blocking_waits {
    struct trm_backend_device *device;
    pthread_mutex_t lock;     /* taken under any other lock */
    struct sleeper *sleepers; /* that nobody sleeps with */
};

/* ---- sleepers -------------------------------------------------------------------------------------- */

static void sleeper_destroy(struct trm_backend_device *device, struct sleeper *sleeper)
{
    if (sleeper->event != NULL)
        (void)device->cuda->cuEventDestroy(sleeper->event);
    if (sleeper->stream != NULL)
        (void)device->cuda->cuStreamDestroy(sleeper->stream);
    trm_util_release(device->instance->host, sleeper, sizeof(*sleeper));
}

static bool sleeper_make(struct trm_backend_device *device, struct sleeper *sleeper)
{
    const struct cuda_functions *cuda = device->cuda;
    return cuda->cuStreamCreateWithPriority(&sleeper->stream, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS &&
           cuda->cuEventCreate(&sleeper->event, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC) ==
               CUDA_SUCCESS;
}

static struct sleeper *sleeper_create(struct trm_backend_device *device)
{
    CUcontext previous;
    sigset_t before;
    struct sleeper *sleeper = trm_util_allocate(device->instance->host, sizeof(*sleeper));
    if (sleeper == NULL)
        return NULL;
    if (cuda_enter(device, &previous) != TRM_OK) {
        trm_util_release(device->instance->host, sleeper, sizeof(*sleeper));
        return NULL;
    }
    trm_util_signals_block(&before);
    if (!sleeper_make(device, sleeper)) {
        sleeper_destroy(device, sleeper);
        sleeper = NULL;
    }
    trm_util_signals_restore(&before);
    cuda_leave(device, previous);
    return sleeper;
}

static struct sleeper *take_sleeper(struct cuda_blocking_waits *blocking_waits)
{
    pthread_mutex_lock(&blocking_waits->lock);
    struct sleeper *sleeper = blocking_waits->sleepers;
    if (sleeper != NULL)
        blocking_waits->sleepers = sleeper->next;
    pthread_mutex_unlock(&blocking_waits->lock);
    return sleeper != NULL ? sleeper : sleeper_create(blocking_waits->device);
}

static void give_sleeper(struct cuda_blocking_waits *blocking_waits, struct sleeper *sleeper)
{
    pthread_mutex_lock(&blocking_waits->lock);
    sleeper->next            = blocking_waits->sleepers;
    blocking_waits->sleepers = sleeper;
    pthread_mutex_unlock(&blocking_waits->lock);
}

static CUresult sleep_with(const struct cuda_functions *cuda, const struct sleeper *sleeper, CUevent event)
{
    CUresult result = cuda->cuStreamWaitEvent(sleeper->stream, event, CU_EVENT_WAIT_DEFAULT);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(sleeper->event, sleeper->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(sleeper->event);
    return result;
}

/* Where there is no memory for more than the event itself, that is waited for as the driver does it. */
CUresult cuda_blocking_wait(struct trm_backend_device *device, CUevent event)
{
    CUcontext previous;
    struct sleeper *sleeper = take_sleeper(device->blocking_waits);
    if (cuda_enter_stream(device, &previous) != TRM_OK) {
        if (sleeper != NULL)
            give_sleeper(device->blocking_waits, sleeper);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    CUresult result = sleeper != NULL ? sleep_with(device->cuda, sleeper, event) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS && !cuda_is_sticky(result))
        result = device->cuda->cuEventSynchronize(event);
    cuda_leave(device, previous);
    if (sleeper != NULL)
        give_sleeper(device->blocking_waits, sleeper);
    return result;
}

/* ---- the life ---------------------------------------------------------------------------------------- */

int32_t cuda_blocking_waits_open(struct trm_backend_device *device)
{
    struct cuda_blocking_waits *blocking_waits =
        trm_util_allocate(device->instance->host, sizeof(*blocking_waits));
    if (blocking_waits == NULL)
        return trm_util_fail_host_memory(device->instance->host, "what waits sleep with");
    blocking_waits->device = device;
    pthread_mutex_init(&blocking_waits->lock, NULL);
    device->blocking_waits = blocking_waits;
    return TRM_OK;
}

static void destroy_all(struct cuda_blocking_waits *blocking_waits)
{
    struct trm_backend_device *device = blocking_waits->device;
    CUcontext previous;
    if (blocking_waits->sleepers == NULL)
        return;
    (void)cuda_enter(device, &previous);
    while (blocking_waits->sleepers != NULL) {
        struct sleeper *sleeper  = blocking_waits->sleepers;
        blocking_waits->sleepers = sleeper->next;
        sleeper_destroy(device, sleeper);
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
