/* Waiting for a whole device.
 * SPDX-License-Identifier: MIT
 */
#include "core/device/device.h"
#include "core/stream/stream.h"

/* A stream of the device, and its last operation when the call began. */
struct mark {
    struct core_stream *stream; /* holds a reference */
    uint64_t value;
};

static uint32_t count_locked(const struct core_device *device)
{
    uint32_t count = 0;
    for (const struct core_stream *stream = device->streams; stream != NULL; stream = stream->next)
        count++;
    return count;
}

static void fill_locked(const struct core_device *device, struct mark *marks)
{
    for (struct core_stream *stream = device->streams; stream != NULL; stream = stream->next, marks++) {
        core_object_retain(&stream->object);
        marks->stream = stream;
        marks->value  = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    }
}

/* Takes a snapshot of the device's streams. The memory for it, none at first, is allocated without the lock,
 * and again if streams were added meanwhile. */
static int32_t take_marks(struct core_device *device, struct mark **marks, uint32_t *count, uint32_t *room)
{
    struct core_context *context = device->object.context;
    pthread_mutex_lock(&device->lock);
    while ((*count = count_locked(device)) > *room) {
        uint32_t wanted = *count + 8;
        pthread_mutex_unlock(&device->lock);
        core_free(context, *marks, *room * sizeof(**marks));
        *marks = core_allocate(context, wanted * sizeof(**marks));
        if (*marks == NULL)
            return base_fail_memory("waiting for a device");
        *room = wanted;
        pthread_mutex_lock(&device->lock);
    }
    if (*count > 0)
        fill_locked(device, *marks);
    pthread_mutex_unlock(&device->lock);
    return TRM_OK;
}

static int32_t first_of(int32_t first, int32_t status, struct base_failure *failure)
{
    if (first != TRM_OK || status == TRM_OK)
        return first;
    base_failure_save(failure, status);
    return status;
}

/* Submits all before it waits for the first, and waits for all even if one fails. */
static int32_t wait_marks(const struct mark *marks, uint32_t count)
{
    int32_t first               = TRM_OK;
    struct base_failure failure = {.status = TRM_OK};
    for (uint32_t i = 0; i < count; i++)
        core_stream_query(marks[i].stream, marks[i].value);
    for (uint32_t i = 0; i < count; i++) {
        struct core_stream *stream = marks[i].stream;
        int32_t status             = core_stream_wait_value(stream, marks[i].value, TRM_FOREVER);
        first                      = first_of(first, status, &failure);
        core_object_release(&stream->object);
    }
    return first == TRM_OK ? TRM_OK : base_failure_raise(&failure);
}

static int32_t sync(struct core_device *device)
{
    struct mark *marks = NULL;
    uint32_t count = 0, room = 0;
    int32_t status = core_device_check(device);
    if (status != TRM_OK)
        return status;
    if (core_callback_current(NULL) != NULL)
        return base_fail_static(TRM_ERROR_DEADLOCK,
                                "trm_device_sync() in a host callback would wait for the callback itself");
    status = take_marks(device, &marks, &count, &room);
    if (status != TRM_OK)
        return status;
    status = wait_marks(marks, count);
    core_free(device->object.context, marks, room * sizeof(*marks));
    return status;
}

int32_t trm_device_sync(struct trm_device *handle)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = sync(device);
    core_object_leave(&device->object);
    return status;
}
