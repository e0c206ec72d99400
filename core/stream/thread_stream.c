/* Each thread's own stream of a device.
 *
 * A thread keeps the stream's handle, not the stream: a handle can be checked at any time. So a thread may
 * end before the device, after it or at the same moment, and a device that ends leaves nothing in threads.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/device_streams.h"
#include "core/stream/stream_object.h"

/* Runs when a thread ends. Other threads, the device and its context may end at the same moment; one caller
 * kills the handle. */
static void thread_ended(void *handle)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return;
    core_stream_end(stream);
    core_object_leave(&stream->object);
}

static int32_t ensure_key(struct core_device *device)
{
    int error = 0;
    pthread_mutex_lock(&device->lock);
    if (!device->has_thread_key) {
        error                  = pthread_key_create(&device->thread_key, thread_ended);
        device->has_thread_key = error == 0;
    }
    pthread_mutex_unlock(&device->lock);
    if (error == 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY,
                     "pthread_key_create() failed: no key is left for the threads' own streams of device %s",
                     device->id);
}

static int32_t create_stream(struct core_device *device, struct trm_stream **handle)
{
    struct core_stream *stream;
    int32_t status =
        core_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, CORE_STREAM_OF_THREAD, &stream);
    if (status != TRM_OK)
        return status;
    core_object_publish(&stream->object);
    if (pthread_setspecific(device->thread_key, stream->object.handle) != 0) {
        core_stream_end(stream);
        return base_fail_memory("storing a thread's own stream");
    }
    *handle = stream->object.handle;
    return TRM_OK;
}

/* The caller has entered the device, so that its streams do not end meanwhile. */
static int32_t find_or_create(struct core_device *device, struct trm_stream **handle)
{
    int32_t status = ensure_key(device);
    if (status != TRM_OK)
        return status;
    struct trm_stream *handle_of_thread = pthread_getspecific(device->thread_key);
    if (handle_of_thread != NULL && core_object_is_alive(handle_of_thread, CORE_STREAM)) {
        *handle = handle_of_thread;
        return TRM_OK;
    }
    return create_stream(device, handle);
}

int32_t trm_device_thread_stream(struct trm_device *handle, struct trm_stream **stream)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = core_output_check(stream, "trm_device_thread_stream", "stream");
    if (status == TRM_OK)
        status = find_or_create(device, stream);
    core_object_leave(&device->object);
    return status;
}

/* The next thread's stream that is not ending yet, with a reference. */
static struct core_stream *next_thread_stream(struct core_device *device)
{
    pthread_mutex_lock(&device->lock);
    struct core_stream *stream = device->streams;
    while (stream != NULL && (atomic_load(&stream->flags) & (CORE_STREAM_OF_THREAD | CORE_STREAM_ENDING)) !=
                                 CORE_STREAM_OF_THREAD)
        stream = stream->next;
    if (stream != NULL)
        core_object_retain(&stream->object);
    pthread_mutex_unlock(&device->lock);
    return stream;
}

void core_device_end_thread_streams(struct core_device *device)
{
    struct core_stream *stream;
    while ((stream = next_thread_stream(device)) != NULL) {
        /* Another thread may be ending it at this moment; core_device_wait_owned_streams() waits for that. */
        if (core_object_try_enter(&stream->object)) {
            core_stream_end(stream);
            core_object_leave(&stream->object);
        }
        atomic_fetch_or(&stream->flags, CORE_STREAM_ENDING);
        core_object_release(&stream->object);
    }
    if (device->has_thread_key)
        pthread_key_delete(device->thread_key);
    device->has_thread_key = false;
}

void core_device_wait_owned_streams(struct core_device *device)
{
    uint32_t count;
    while ((count = atomic_load_explicit(&device->owned_streams, memory_order_acquire)) != 0)
        base_futex_wait(&device->owned_streams, count, BASE_NEVER);
}
