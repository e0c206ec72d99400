/* cuda backend: streams that fail or are abandoned, or whose device is lost.
 * SPDX-License-Identifier: MIT
 */
#include "stream_failure.h"

#include <stdio.h>
#include <string.h>

#include "deferred_submit.h"
#include "mark.h"
#include "notify.h"

#define TRIES 3u /* calls of a driver that does not say how far a stream is */

/* ---- reporting ------------------------------------------------------------------------------- */

int32_t cuda_stream_state(const struct trm_backend_stream *stream, uint64_t value)
{
    int32_t failure = atomic_load(&stream->failure);
    if (cuda_device_is_lost(stream->device))
        return TRM_ERROR_DEVICE_LOST;
    if (failure != TRM_OK && !atomic_load(&stream->flushing) &&
        cuda_stream_completed(stream) >= cuda_stream_submitted(stream))
        return failure;
    if (failure != TRM_OK && atomic_load(&stream->has_fault))
        return TRM_ERROR_TIMEOUT;
    return cuda_stream_completed(stream) >= value ? TRM_OK : TRM_ERROR_TIMEOUT;
}

uint64_t cuda_stream_target(const struct trm_backend_stream *stream, uint64_t value)
{
    if (atomic_load(&stream->failure) == TRM_OK)
        return value;
    uint64_t submitted = cuda_stream_submitted(stream);
    return value < submitted && !atomic_load(&stream->has_fault) ? value : submitted;
}

int32_t cuda_stream_explain(struct trm_backend_stream *stream, int32_t status)
{
    const struct trm_backend_instance *instance = stream->device->instance;
    if (status == TRM_OK)
        return TRM_OK;
    if (status == TRM_ERROR_TIMEOUT)
        return trm_util_fail(instance->host, status, 0, "The stream has not reached this point yet.");
    if (status == TRM_ERROR_DEVICE_LOST && cuda_device_is_lost(stream->device))
        return cuda_device_check(stream->device);
    return trm_util_fail(instance->host, status, stream->failure_native, "%s", stream->failure_sentence);
}

int32_t cuda_stream_check(struct trm_backend_stream *stream)
{
    int32_t failure = atomic_load_explicit(&stream->failure, memory_order_acquire);
    return failure == TRM_OK ? cuda_device_check(stream->device) : cuda_stream_explain(stream, failure);
}

/* ---- failing --------------------------------------------------------------------------------- */

/* With the instance's defer_lock. */
static bool set_failure(struct trm_backend_stream *stream, int32_t status, int64_t native,
                        const char *sentence)
{
    if (atomic_load(&stream->failure) != TRM_OK)
        return false;
    stream->failure_native = native;
    snprintf(stream->failure_sentence, sizeof(stream->failure_sentence), "%.*s",
             (int)sizeof(stream->failure_sentence) - 1, sentence);
    atomic_store_explicit(&stream->failure, status, memory_order_release);
    atomic_fetch_or_explicit(&stream->submit_state, CUDA_STREAM_REFUSES, memory_order_release);
    return true;
}

void cuda_stream_fail_lost_locked(struct trm_backend_stream *stream)
{
    const struct trm_backend_device *device = stream->device;
    set_failure(stream, TRM_ERROR_DEVICE_LOST, device->lost_result, device->lost_sentence);
}

struct cuda_deferred *cuda_stream_fail_locked(struct trm_backend_stream *stream, int32_t status,
                                              int64_t native, const char *sentence)
{
    if (sentence[0] == '\0')
        sentence = "A deferred operation could not be submitted.";
    return set_failure(stream, status, native, sentence) ? cuda_deferred_take_locked(stream) : NULL;
}

void cuda_stream_wake(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->sleepers != 0)
        pthread_cond_broadcast(&stream->progressed);
    pthread_mutex_unlock(&stream->lock);
    cuda_notifications_watch(stream);
}

static void fail(struct trm_backend_stream *stream, int32_t status, int64_t native, const char *sentence)
{
    struct trm_backend_instance *instance = stream->device->instance;
    cuda_stream_pin(stream);
    pthread_mutex_lock(&instance->defer_lock);
    struct cuda_deferred *dropped = cuda_stream_fail_locked(stream, status, native, sentence);
    cuda_deferred_resume_locked(instance);
    pthread_mutex_unlock(&instance->defer_lock);
    cuda_deferred_free(stream, dropped);
    cuda_stream_wake(stream);
    cuda_stream_unpin(stream);
}

void cuda_stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    fail(stream, status, 0, "The stream was abandoned.");
}

static CUresult synchronize(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    if (cuda_enter_stream(device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = device->cuda->cuStreamSynchronize(stream->handle);
    cuda_leave(device, previous);
    return result;
}

/* Nothing of the stream may be running when its failure is reported. If the driver does not even wait for
 * the stream, assume that nothing is. */
static void end_all(struct trm_backend_stream *stream)
{
    uint64_t submitted = cuda_stream_submitted(stream);
    CUresult result    = synchronize(stream);
    for (uint32_t i = 1; i < TRIES && result != CUDA_SUCCESS && !cuda_is_sticky(result); i++)
        result = synchronize(stream);
    if (cuda_is_sticky(result))
        cuda_device_fail(stream->device, result, "cuStreamSynchronize");
    cuda_stream_note_completed(stream, submitted);
    cuda_stream_wake(stream);
}

void cuda_stream_fail_running(struct trm_backend_stream *stream, int32_t status, int64_t native,
                              const char *sentence)
{
    atomic_store(&stream->has_fault, true);
    fail(stream, status, native, sentence);
}

void cuda_stream_end_failed(struct trm_backend_stream *stream)
{
    end_all(stream);
}

void cuda_stream_fail_ended(struct trm_backend_stream *stream, int32_t status, int64_t native,
                            const char *sentence)
{
    cuda_stream_fail_running(stream, status, native, sentence);
    end_all(stream);
}

/* ---- a driver that does not answer ----------------------------------------------------------- */

void cuda_stream_query_failed(struct trm_backend_stream *stream, CUresult result, const char *call)
{
    struct trm_backend_device *device = stream->device;
    char sentence[sizeof(stream->failure_sentence)];
    int32_t status = cuda_device_fail(device, result, call);
    if (cuda_device_is_lost(device))
        return;
    snprintf(sentence, sizeof(sentence), "%s, called to query a stream, answered %s.", call,
             cuda_result_name(device->instance, result));
    fail(stream, status, result, sentence);
    end_all(stream);
}
