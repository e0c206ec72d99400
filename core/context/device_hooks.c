/* Opens and closes the parts of a device that streams and memory own. This room may include both.
 * SPDX-License-Identifier: MIT
 */
#include "core/context/context.h"
#include "core/device/device.h"
#include "core/event/event.h"
#include "core/memory/memory.h"
#include "core/stream/stream.h"

static int32_t open_device(struct core_device *device)
{
    return core_pool_create(device, &device->pool);
}

static void opened_device(struct core_device *device)
{
    const struct core_context_hooks *hooks = device->object.context->hooks;
    core_profile_device_opens(device);
    if (hooks != NULL)
        hooks->device_opened(device->object.context);
}

static void retire_device(struct core_device *device)
{
    core_device_end_thread_streams(device);
    core_device_reap_ended(device);
}

/* Streams end first, since deferred frees and the end of a stream return memory to the pool and events to
 * their pool. */
static void close_device(struct core_device *device)
{
    core_device_reap_all(device);
    core_device_end_internal_stream(device);
    core_device_wait_owned_streams(device);
    core_profile_device_closes(device);
    core_pool_destroy(device->pool);
    core_event_pool_destroy(device->object.context, device->events);
}

const struct core_device_hooks core_device_hooks = {
    .open   = open_device,
    .opened = opened_device,
    .retire = retire_device,
    .reap   = core_device_reap,
    .close  = close_device,
};
