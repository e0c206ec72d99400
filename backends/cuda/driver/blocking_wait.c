/* cuda backend: sleeping in the driver.
 * SPDX-License-Identifier: MIT
 */
#include "blocking_wait.h"

#include "backends/cuda/signals.h"

/* What a thread sleeps with. */
struct sleeper {
    struct sleeper *next;
    CUstream stream;
    CUevent event;
};

struct cuda_sleeping {
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
    cuda_release(device->instance, sleeper, sizeof(*sleeper));
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
    struct sleeper *sleeper = cuda_allocate(device->instance, sizeof(*sleeper));
    if (sleeper == NULL)
        return NULL;
    if (cuda_enter(device, &previous) != TRM_OK) {
        cuda_release(device->instance, sleeper, sizeof(*sleeper));
        return NULL;
    }
    cuda_signals_hold(&before);
    if (!sleeper_make(device, sleeper)) {
        sleeper_destroy(device, sleeper);
        sleeper = NULL;
    }
    cuda_signals_let(&before);
    cuda_leave(device, previous);
    return sleeper;
}

static struct sleeper *take_sleeper(struct cuda_sleeping *sleeping)
{
    pthread_mutex_lock(&sleeping->lock);
    struct sleeper *sleeper = sleeping->sleepers;
    if (sleeper != NULL)
        sleeping->sleepers = sleeper->next;
    pthread_mutex_unlock(&sleeping->lock);
    return sleeper != NULL ? sleeper : sleeper_create(sleeping->device);
}

static void give_sleeper(struct cuda_sleeping *sleeping, struct sleeper *sleeper)
{
    pthread_mutex_lock(&sleeping->lock);
    sleeper->next      = sleeping->sleepers;
    sleeping->sleepers = sleeper;
    pthread_mutex_unlock(&sleeping->lock);
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
CUresult cuda_sleep(struct trm_backend_device *device, CUevent event)
{
    CUcontext previous;
    struct sleeper *sleeper = take_sleeper(device->sleeping);
    if (cuda_enter_stream(device, &previous) != TRM_OK) {
        if (sleeper != NULL)
            give_sleeper(device->sleeping, sleeper);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    CUresult result = sleeper != NULL ? sleep_with(device->cuda, sleeper, event) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS && !cuda_is_sticky(result))
        result = device->cuda->cuEventSynchronize(event);
    cuda_leave(device, previous);
    if (sleeper != NULL)
        give_sleeper(device->sleeping, sleeper);
    return result;
}

/* ---- the life ---------------------------------------------------------------------------------------- */

int32_t cuda_sleeping_open(struct trm_backend_device *device)
{
    struct cuda_sleeping *sleeping = cuda_allocate(device->instance, sizeof(*sleeping));
    if (sleeping == NULL)
        return cuda_fail_host_memory(device->instance, "what waits sleep with");
    sleeping->device = device;
    pthread_mutex_init(&sleeping->lock, NULL);
    device->sleeping = sleeping;
    return TRM_OK;
}

static void destroy_all(struct cuda_sleeping *sleeping)
{
    struct trm_backend_device *device = sleeping->device;
    CUcontext previous;
    if (sleeping->sleepers == NULL)
        return;
    (void)cuda_enter(device, &previous);
    while (sleeping->sleepers != NULL) {
        struct sleeper *sleeper = sleeping->sleepers;
        sleeping->sleepers      = sleeper->next;
        sleeper_destroy(device, sleeper);
    }
    cuda_leave(device, previous);
}

void cuda_sleeping_close(struct trm_backend_device *device)
{
    struct cuda_sleeping *sleeping = device->sleeping;
    if (sleeping == NULL)
        return;
    destroy_all(sleeping);
    pthread_mutex_destroy(&sleeping->lock);
    cuda_release(device->instance, sleeping, sizeof(*sleeping));
    device->sleeping = NULL;
}
