/* cuda backend: streams that wait for streams of other devices, and fail with these when one is lost.
 * SPDX-License-Identifier: MIT
 */
#include "follow.h"

#include <stdio.h>

#include "stream.h"
#include "stream_failure.h"

/* ---- devices --------------------------------------------------------------------------------- */

void cuda_follow_add_device(struct trm_backend_device *device)
{
    struct trm_backend_instance *instance = device->instance;
    pthread_mutex_lock(&instance->follow_lock);
    for (uint32_t i = 0; i < CUDA_FOLLOWED && device->follow_bit == 0; i++) {
        if (instance->followed[i] != NULL)
            continue;
        instance->followed[i] = device;
        device->follow_bit    = UINT64_C(1) << i;
    }
    pthread_mutex_unlock(&instance->follow_lock);
}

void cuda_follow_remove_device(struct trm_backend_device *device)
{
    struct trm_backend_instance *instance = device->instance;
    pthread_mutex_lock(&instance->follow_lock);
    for (uint32_t i = 0; i < CUDA_FOLLOWED; i++)
        if (instance->followed[i] == device)
            instance->followed[i] = NULL;
    pthread_mutex_unlock(&instance->follow_lock);
}

/* A query of any stream tells of an error of the whole context. */
static bool is_lost(struct trm_backend_device *device)
{
    CUcontext previous;
    if (cuda_device_is_lost(device) || cuda_enter(device, &previous) != TRM_OK)
        return cuda_device_is_lost(device);
    CUresult result = device->cuda->cuStreamQuery(device->internal_stream);
    cuda_leave(device, previous);
    if (!cuda_is_sticky(result))
        return false;
    (void)cuda_device_fail(device, result, "cuStreamQuery");
    return true;
}

/* Whether one of the devices is lost, and its sentence. */
static bool find_lost(struct trm_backend_instance *instance, uint64_t devices, CUresult *result,
                      char *sentence, size_t size)
{
    bool is_found = false;
    pthread_mutex_lock(&instance->follow_lock);
    for (uint32_t i = 0; i < CUDA_FOLLOWED && !is_found && devices >> i != 0; i++) {
        struct trm_backend_device *device = instance->followed[i];
        if ((devices >> i & 1) == 0 || device == NULL || !is_lost(device))
            continue;
        is_found = true;
        *result  = device->lost_result;
        snprintf(sentence, size, "%s", device->lost_sentence);
    }
    pthread_mutex_unlock(&instance->follow_lock);
    return is_found;
}

/* ---- streams --------------------------------------------------------------------------------- */

void cuda_follow(struct trm_backend_stream *stream, struct trm_backend_stream *other)
{
    struct cuda_follow *follow = &stream->follow;
    uint64_t value             = cuda_stream_submitted(stream) + 1;
    uint64_t devices           = atomic_load_explicit(&other->follow.devices, memory_order_acquire) |
                       (other->device != stream->device ? other->device->follow_bit : 0);
    devices &= ~stream->device->follow_bit;
    if (devices == 0)
        return;
    trm_util_lock_acquire(&follow->lock);
    uint64_t before = atomic_load_explicit(&follow->devices, memory_order_relaxed);
    if (before == 0)
        follow->first = value;
    follow->last = value;
    atomic_store_explicit(&follow->devices, before | devices, memory_order_release);
    trm_util_lock_release(&follow->lock);
}

static void forget(struct cuda_follow *follow, uint64_t value)
{
    trm_util_lock_acquire(&follow->lock);
    if (follow->last <= value)
        atomic_store_explicit(&follow->devices, 0, memory_order_relaxed);
    else if (follow->first <= value)
        follow->first = value + 1;
    trm_util_lock_release(&follow->lock);
}

void cuda_follow_check(struct trm_backend_stream *stream, uint64_t value)
{
    struct cuda_follow *follow = &stream->follow;
    char sentence[sizeof(stream->device->lost_sentence)];
    CUresult result = CUDA_SUCCESS;
    trm_util_lock_acquire(&follow->lock);
    bool is_behind   = follow->first <= value;
    uint64_t devices = atomic_load_explicit(&follow->devices, memory_order_relaxed);
    trm_util_lock_release(&follow->lock);
    if (!is_behind || (atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0)
        return;
    if (find_lost(stream->instance, devices, &result, sentence, sizeof(sentence)))
        cuda_stream_fail_ended(stream, TRM_ERROR_DEVICE_LOST, result, sentence);
    else
        forget(follow, value);
}
