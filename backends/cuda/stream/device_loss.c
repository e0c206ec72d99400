/* cuda backend: what a device's streams do when the device is lost, or a kernel is destroyed.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/module/module.h"
#include "deferred_submit.h"
#include "replay.h"
#include "stream_failure.h"

/* Append what the stream was given and has not been seen to end. */
static void append_stream(struct trm_util_text *text, struct trm_backend_stream *stream, uint32_t *count)
{
    uint64_t completed = atomic_load(&stream->completed);
    uint64_t submitted = atomic_load(&stream->submitted);
    const char *kernel = atomic_load(&stream->running);
    if (completed >= submitted)
        return;
    trm_util_text_append(text, "%s", (*count)++ == 0 ? "; in flight were " : ", ");
    if (kernel != NULL)
        trm_util_text_append(text, "the kernel \"%s\" (operations %llu to %llu of a stream)", kernel,
                             (unsigned long long)completed + 1, (unsigned long long)submitted);
    else
        trm_util_text_append(text, "operations %llu to %llu of a stream, without kernels",
                             (unsigned long long)completed + 1, (unsigned long long)submitted);
}

/* Fail and wake all streams. Their deferred operations are freed when they are destroyed. */
static void wake_streams(struct trm_backend_device *device)
{
    struct trm_backend_instance *instance = device->instance;
    pthread_mutex_lock(&instance->defer_lock);
    pthread_mutex_lock(&device->streams_lock);
    for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next) {
        cuda_stream_fail_lost_locked(stream);
        cuda_stream_wake(stream);
    }
    pthread_mutex_unlock(&device->streams_lock);
    cuda_deferred_resume_locked(instance);
    pthread_mutex_unlock(&instance->defer_lock);
}

/* The first thread that gets here says why. The sentence is complete before the device counts as lost. */
void cuda_streams_lose_device(struct trm_backend_device *device, CUresult result, const char *call)
{
    struct trm_util_text text = {.data = device->lost_sentence, .capacity = sizeof(device->lost_sentence)};
    char words[CUDA_DESCRIPTION_BYTES];
    uint32_t count = 0;
    cuda_result_describe(device->instance, result, words);
    pthread_mutex_lock(&device->streams_lock);
    bool is_first = !cuda_device_is_lost(device);
    if (is_first) {
        trm_util_text_append(&text, "The device %s was lost: %s answered %s%s", device->physical->name, call,
                             cuda_result_name(device->instance, result), words);
        for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next)
            append_stream(&text, stream, &count);
        trm_util_text_append(&text, ".");
        device->lost_result = result;
        atomic_store_explicit(&device->lost, TRM_ERROR_DEVICE_LOST, memory_order_release);
    }
    pthread_mutex_unlock(&device->streams_lock);
    if (is_first)
        wake_streams(device);
}

/* stream->running must not name the kernel any more. */
static void forget_name(struct trm_backend_device *device, const char *name)
{
    pthread_mutex_lock(&device->streams_lock);
    for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next) {
        const char *running = name;
        atomic_compare_exchange_strong(&stream->running, &running, NULL);
    }
    pthread_mutex_unlock(&device->streams_lock);
}

void cuda_streams_forget_kernel(struct trm_backend_device *device, const struct trm_backend_kernel *kernel)
{
    forget_name(device, kernel->name);
    cuda_replays_forget(device, kernel->serial);
}
