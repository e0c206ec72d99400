/* vulkan backend: what the loss of a device does to its streams.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/stream/service.h"
#include "backends/vulkan/stream/stream_object.h"

/* Appends what a stream had in flight. Its lock is recursive, since the caller may hold it. A stream that
 * another thread has locked is skipped: waiting here could deadlock. */
static void append_stream(struct trm_util_text *text, struct trm_backend_stream *stream, uint32_t *count)
{
    const struct trm_backend_kernel *kernel = NULL;
    if (pthread_mutex_trylock(&stream->lock) != 0)
        return;
    uint64_t ended                   = atomic_load(&stream->timeline->completed);
    const struct vulkan_batch *first = stream->in_flight;
    /* Kernels of batches that have ended may have been unloaded. */
    while (first != NULL && first->value <= ended)
        first = first->next;
    if (first != NULL) {
        for (const struct vulkan_batch *batch = first; batch != NULL && kernel == NULL; batch = batch->next)
            kernel = batch->last_kernel;
        trm_util_text_append(text, "%s", (*count)++ == 0 ? "; in flight were " : ", ");
        if (kernel != NULL)
            trm_util_text_append(text, "the kernel \"%s\" (operations %llu to %llu of a stream)",
                                 kernel->info->name, (unsigned long long)first->first,
                                 (unsigned long long)stream->last_in_flight->value);
        else
            trm_util_text_append(text, "operations %llu to %llu of a stream, without kernels",
                                 (unsigned long long)first->first,
                                 (unsigned long long)stream->last_in_flight->value);
    }
    pthread_mutex_unlock(&stream->lock);
}

static void describe(struct trm_backend_device *device, struct trm_util_text *text)
{
    uint32_t count = 0;
    for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next)
        append_stream(text, stream, &count);
}

static void alarm_streams(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->streams_lock);
    for (struct trm_backend_stream *stream = device->streams; stream != NULL; stream = stream->next)
        vulkan_stream_wake(stream);
    pthread_mutex_unlock(&device->streams_lock);
    if (device->service != NULL)
        vulkan_service_alarm(device->service);
}

const struct vulkan_loss_hooks vulkan_stream_loss_hooks = {
    .describe = describe,
    .alarm    = alarm_streams,
};
