/* Events: objects that hold a point.
 * SPDX-License-Identifier: MIT
 */
#include "core/event/event.h"

#include "core/event/event_pool.h"

/* ---- the ends of life ---------------------------------------------------------------------------- */

static void event_retire(struct core_object *object)
{
    core_device_uncount_child(((struct core_event *)object)->device, CORE_EVENT);
}

static void event_release(struct core_object *object)
{
    struct core_event *event   = (struct core_event *)object;
    struct core_device *device = event->device;
    core_event_release_timestamp(event);
    core_object_release(event->stream != NULL ? &event->stream->object : NULL);
    core_event_pool_free(device, event);
    core_object_release(&device->object);
}

static const char *event_device_id(const struct core_object *object)
{
    return ((const struct core_event *)object)->device->id;
}

static const struct core_object_ops event_object_ops = {
    .type      = CORE_EVENT,
    .name      = "event",
    .source    = __FILE__,
    .device_id = event_device_id,
    .retire    = event_retire,
    .release   = event_release,
};

int32_t core_event_create(struct core_device *device, uint32_t flags, struct trm_event **out)
{
    if (flags & ~(uint32_t)TRM_EVENT_TIMING)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_event_create: flags 0x%x has unknown bits", flags);
    int32_t status = core_output_check(out, "trm_event_create", "event");
    if (status == TRM_OK)
        status = core_device_check(device);
    if (status != TRM_OK)
        return status;

    struct core_event *event = core_event_pool_allocate(device);
    if (event == NULL)
        return base_fail_memory("creating an event");
    event->device = device;
    event->flags  = flags;
    status        = core_object_init(&event->object, &event_object_ops, device->object.context);
    if (status != TRM_OK) {
        core_event_pool_free(device, event);
        return status;
    }
    core_device_add_child(device, CORE_EVENT);
    *out = core_object_publish(&event->object);
    return TRM_OK;
}

int32_t trm_event_create(struct trm_device *handle, uint32_t flags, struct trm_event **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = core_event_create(device, flags, out);
    core_object_leave(&device->object);
    return status;
}

void trm_event_destroy(struct trm_event *handle)
{
    core_object_kill_handle(handle, CORE_EVENT);
}

/* ---- the point ------------------------------------------------------------------------------------ */

bool core_event_get_point(struct core_event *event, struct core_stream **stream, uint64_t *value)
{
    base_lock_acquire(&event->lock);
    struct core_stream *held = event->stream;
    *value                   = event->value;
    if (held != NULL)
        core_object_retain(&held->object);
    base_lock_release(&event->lock);
    *stream = held;
    return held != NULL;
}

static void move_to(struct core_event *event, struct core_stream *stream, uint64_t value)
{
    core_object_retain(&stream->object);
    base_lock_acquire(&event->lock);
    struct core_stream *before = event->stream;
    event->stream              = stream;
    event->value               = value;
    base_lock_release(&event->lock);
    core_object_release(before != NULL ? &before->object : NULL);
}

static int32_t check_stream(const struct core_event *event, const struct core_stream *stream)
{
    if (event->object.context != stream->object.context)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the event and the stream belong to two contexts");
    if ((event->flags & TRM_EVENT_TIMING) && event->device != stream->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "an event of device %s cannot take the time on a stream of device %s",
                         event->device->id, stream->device->id);
    return TRM_OK;
}

int32_t core_event_record(struct core_event *event, struct core_stream *stream)
{
    uint64_t value;
    int32_t status = TRM_OK;
    if (event->flags & TRM_EVENT_TIMING)
        status = core_event_record_timestamp(event, stream, &value);
    if (status == TRM_OK)
        status = core_stream_mark(stream, &value);
    if (status == TRM_OK)
        move_to(event, stream, value);
    return status;
}

int32_t core_event_record_time(struct trm_event *handle, struct trm_stream *stream_handle)
{
    struct core_stream *stream;
    uint64_t value;
    struct core_event *event = core_event_find(handle);
    if (event == NULL)
        return base_last_status();
    int32_t status = core_stream_begin(stream_handle, &stream);
    if (status == TRM_OK)
        status = core_event_record_timestamp(event, stream, &value);
    if (status == TRM_OK)
        move_to(event, stream, value);
    return status;
}

int32_t trm_event_record(struct trm_event *handle, struct trm_stream *stream_handle)
{
    struct core_stream *stream;
    struct core_event *event = core_event_find(handle);
    if (event == NULL)
        return base_last_status();
    int32_t status = core_stream_begin(stream_handle, &stream);
    if (status == TRM_OK)
        status = check_stream(event, stream);
    if (status != TRM_OK)
        return status;
    return core_stream_is_recording(stream) ? stream->recorder_ops->add_event(stream, event)
                                            : core_event_record(event, stream);
}

int32_t trm_event_wait(struct trm_event *handle, uint64_t timeout_ns)
{
    struct core_stream *stream;
    uint64_t value;
    int32_t status           = TRM_OK;
    struct core_event *event = core_object_enter(handle, CORE_EVENT);
    if (event == NULL)
        return base_last_status();
    if (core_event_get_point(event, &stream, &value)) {
        status = core_stream_wait_value(stream, value, timeout_ns);
        core_object_release(&stream->object);
    }
    core_object_leave(&event->object);
    return status;
}

int32_t trm_event_done(struct trm_event *handle)
{
    return trm_event_wait(handle, 0);
}

static int32_t find_point(struct core_event *event, struct trm_point *point)
{
    struct core_stream *stream;
    uint64_t value;
    int32_t status = core_output_check(point, "trm_event_point", "point");
    if (status != TRM_OK)
        return status;
    if (!core_event_get_point(event, &stream, &value))
        return base_fail(TRM_ERROR_NOT_FOUND, "the event has never been recorded");
    point->stream = stream->object.handle;
    point->value  = value;
    core_object_release(&stream->object);
    return TRM_OK;
}

int32_t trm_event_point(struct trm_event *handle, struct trm_point *point)
{
    struct core_event *event = core_object_enter(handle, CORE_EVENT);
    if (event == NULL)
        return base_last_status();
    int32_t status = find_point(event, point);
    core_object_leave(&event->object);
    return status;
}

/* ---- waiting --------------------------------------------------------------------------------------- */

int32_t trm_stream_wait_event(struct trm_stream *handle, struct trm_event *event_handle)
{
    struct core_stream *stream, *other;
    uint64_t value;
    int32_t status = core_stream_begin_live(handle, "a wait", &stream);
    if (status != TRM_OK)
        return status;
    struct core_event *event = core_event_find(event_handle);
    if (event == NULL)
        return base_last_status();
    if (!core_event_get_point(event, &other, &value))
        return TRM_OK;
    status = core_stream_check_context(stream, other);
    if (status == TRM_OK)
        status = core_stream_wait_event(stream, other, value, core_object_number(&event->object));
    core_object_release(&other->object);
    return status;
}
