/* The core's own stream on a device, for work inside a call.
 * SPDX-License-Identifier: MIT
 */
#include "core/device/device.h"
#include "core/stream/device_streams.h"
#include "core/stream/stream_object.h"

/* A stream's failure is permanent, but it concerned one call: the next call gets a new stream. */
static void end_failed_stream(struct core_device *device)
{
    if (device->internal == NULL || core_stream_failure_status(device->internal) == TRM_OK)
        return;
    core_stream_end(device->internal);
    device->internal = NULL;
}

static int32_t make_stream(struct core_device *device)
{
    int32_t status = core_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, CORE_STREAM_INTERNAL,
                                        &device->internal);
    if (status == TRM_OK)
        core_object_publish(&device->internal->object);
    return status;
}

int32_t core_device_internal_lock(struct core_device *device, struct core_stream **stream)
{
    int32_t status = core_device_check(device);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&device->internal_lock);
    end_failed_stream(device);
    if (device->internal == NULL)
        status = make_stream(device);
    if (status != TRM_OK) {
        pthread_mutex_unlock(&device->internal_lock);
        return status;
    }
    *stream = device->internal;
    return TRM_OK;
}

void core_device_internal_unlock(struct core_device *device)
{
    pthread_mutex_unlock(&device->internal_lock);
}

void core_device_end_internal_stream(struct core_device *device)
{
    if (device->internal != NULL)
        core_stream_end(device->internal);
    device->internal = NULL;
}
