/* cuda backend: streams that wait for streams of other devices, and fail with these when one is lost.
 * SPDX-License-Identifier: MIT
 */
#include "follow.h"

#include <stdio.h>

#include "stream.h"
#include "stream_failure.h"

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t free_place(const struct trm_backend_instance *instance)
{
    uint32_t i = 0;
    while (i < CUDA_FOLLOWED && (instance->followed[i] != NULL || instance->outcomes[i] != NULL))
        i++;
    return i;
}

static uint64_t look_at_streams(struct trm_backend_instance *instance)
{
    uint64_t places = 0;
    for (uint32_t i = 0; i < CUDA_FOLLOWED; i++) {
        struct trm_backend_device *device = instance->followed[i];
        if (device == NULL)
            continue;
        pthread_mutex_lock(&device->streams_lock);
        for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next)
            places |= atomic_load_explicit(&stream->follow.devices, memory_order_acquire);
        pthread_mutex_unlock(&device->streams_lock);
    }
    return places;
}

/* What streams of all devices follow. A stream that begins to follow because another one does has it from one
 * that is in its device's list at that moment; that one may leave the list before its device is looked at,
 * but then the second look sees the first stream. */
static uint64_t followed_places(struct trm_backend_instance *instance)
{
    uint64_t places = look_at_streams(instance);
    return places | look_at_streams(instance);
}

/* A program may go on for ever with new communicators in place of those that fail. Streams of a device
 * without a place cannot be asked. */
static void take_back_places(struct trm_backend_instance *instance)
{
    uint64_t used = instance->has_unfollowed ? UINT64_MAX : followed_places(instance);
    for (uint32_t i = 0; i < CUDA_FOLLOWED; i++)
        if (instance->outcomes[i] != NULL && instance->outcomes[i]->is_left && (used >> i & 1) == 0)
            instance->outcomes[i] = NULL;
}

/* With follow_lock: a place that is free; CUDA_FOLLOWED: there is none. */
static uint32_t find_place(struct trm_backend_instance *instance)
{
    uint32_t place = free_place(instance);
    if (place < CUDA_FOLLOWED)
        return place;
    take_back_places(instance);
    return free_place(instance);
}

void cuda_follow_add_device(struct trm_backend_device *device)
{
    struct trm_backend_instance *instance = device->instance;
    pthread_mutex_lock(&instance->follow_lock);
    uint32_t place = find_place(instance);
    if (place < CUDA_FOLLOWED) {
        instance->followed[place] = device;
        device->follow_bit        = UINT64_C(1) << place;
    } else {
        instance->has_unfollowed = true;
    }
    pthread_mutex_unlock(&instance->follow_lock);
}

bool cuda_follow_add_outcome(struct trm_backend_instance *instance, struct cuda_outcome *outcome)
{
    pthread_mutex_lock(&instance->follow_lock);
    uint32_t place = find_place(instance);
    if (place < CUDA_FOLLOWED) {
        instance->outcomes[place] = outcome;
        outcome->follow_bit       = UINT64_C(1) << place;
    }
    pthread_mutex_unlock(&instance->follow_lock);
    return place < CUDA_FOLLOWED;
}

void cuda_follow_leave_outcome(struct trm_backend_instance *instance, struct cuda_outcome *outcome)
{
    pthread_mutex_lock(&instance->follow_lock);
    outcome->is_left = true;
    pthread_mutex_unlock(&instance->follow_lock);
}

void cuda_follow_remove_outcome(struct trm_backend_instance *instance, const struct cuda_outcome *outcome)
{
    pthread_mutex_lock(&instance->follow_lock);
    for (uint32_t i = 0; i < CUDA_FOLLOWED; i++)
        if (instance->outcomes[i] == outcome)
            instance->outcomes[i] = NULL;
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

/* ---- failures -------------------------------------------------------------------------------- */

/* The failure of a place: its status, or TRM_OK. */
static int32_t failure_at(struct trm_backend_instance *instance, uint32_t place, int64_t *native, char *text,
                          size_t size)
{
    struct trm_backend_device *device  = instance->followed[place];
    const struct cuda_outcome *outcome = instance->outcomes[place];
    int32_t status                     = outcome != NULL ? atomic_load(&outcome->status) : TRM_OK;
    if (status != TRM_OK) { /* only then are the others written */
        *native = outcome->native;
        snprintf(text, size, "%s", outcome->sentence);
        return status;
    }
    if (device == NULL || !cuda_device_ask(device))
        return TRM_OK;
    *native = device->lost_result;
    snprintf(text, size, "The stream depends on memory or streams of cuda:%u. %.440s",
             device->physical->index, device->lost_sentence);
    return TRM_ERROR_DEVICE_LOST;
}

/* The failure of the first of these places that has failed, and its sentence; TRM_OK: none has. */
static int32_t find_failure(struct trm_backend_instance *instance, uint64_t places, int64_t *native,
                            char *text, size_t size)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&instance->follow_lock);
    for (uint32_t i = 0; i < CUDA_FOLLOWED && status == TRM_OK && places >> i != 0; i++)
        if ((places >> i & 1) != 0)
            status = failure_at(instance, i, native, text, size);
    pthread_mutex_unlock(&instance->follow_lock);
    return status;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* The operation that the stream submits next depends on these devices. */
static void add_devices(struct trm_backend_stream *stream, uint64_t devices)
{
    struct cuda_follow *follow = &stream->follow;
    uint64_t value             = cuda_stream_submitted(stream) + 1;
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

void cuda_follow(struct trm_backend_stream *stream, struct trm_backend_stream *other)
{
    uint64_t devices = atomic_load_explicit(&other->follow.devices, memory_order_acquire);
    add_devices(stream, devices | other->device->follow_bit);
}

void cuda_follow_reached(struct trm_backend_stream *stream, uint64_t reached)
{
    add_devices(stream, reached);
}

void cuda_follow_device(struct trm_backend_stream *stream, const struct trm_backend_device *device)
{
    add_devices(stream, device->follow_bit);
}

void cuda_follow_outcome(struct trm_backend_stream *stream, const struct cuda_outcome *outcome)
{
    add_devices(stream, outcome->follow_bit);
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
    char sentence[sizeof(stream->failure_sentence)];
    int64_t native = 0;
    trm_util_lock_acquire(&follow->lock);
    bool is_behind   = follow->first <= value;
    uint64_t devices = atomic_load_explicit(&follow->devices, memory_order_relaxed);
    trm_util_lock_release(&follow->lock);
    if (!is_behind || (atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0)
        return;
    int32_t status = find_failure(stream->instance, devices, &native, sentence, sizeof(sentence));
    if (status != TRM_OK)
        cuda_stream_fail_ended(stream, status, native, sentence);
    else
        forget(follow, value);
}
