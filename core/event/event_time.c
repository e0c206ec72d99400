/* Timestamps of events.
 *
 * The backend records them where it has a profile table. Else the core reads the host's clock in a
 * notification, or when a thread reads the event before the notification comes.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "base/base.h"
#include "core/event/event.h"

struct core_timestamp {
    struct core_device *device;        /* holds a reference */
    _Atomic uint32_t references;       /* of the event or the deferred list, readers, notifications */
    struct core_in_flight in_flight;   /* the last record */
    struct core_deferred deferred;     /* while it is in flight and the event has another timestamp */
    bool is_shared;                    /* of a graph, whose instance has a reference while it is in flight */
    struct trm_backend_stamp *backend; /* NULL: emulated, by what follows */
    struct core_notification notification;
    struct core_stream *stream;  /* of the last record; pinned while that is queued */
    struct core_timestamp *next; /* in the stream's queue; under device->lock */
    bool is_queued;              /* it has no time yet; under device->lock */
    _Atomic uint64_t time;       /* nanoseconds; 0: none yet */
};

/* ---- the ends of life ----------------------------------------------------------------------------- */

static bool is_native(const struct core_device *device)
{
    const struct trm_profile_ops *ops = &device->backend->profile;
    return ops->stamp_create != NULL && ops->stamp_destroy != NULL && ops->stamp_record != NULL &&
           ops->stamp_read != NULL;
}

static void timestamp_free(struct core_timestamp *timestamp)
{
    struct core_device *device = timestamp->device;
    core_in_flight_fini(device->object.context, &timestamp->in_flight);
    if (timestamp->backend != NULL)
        device->backend->profile.stamp_destroy(timestamp->backend);
    core_free(device->object.context, timestamp, sizeof(*timestamp));
    core_object_release(&device->object);
}

void core_timestamp_release(struct core_timestamp *timestamp)
{
    if (timestamp != NULL && atomic_fetch_sub_explicit(&timestamp->references, 1, memory_order_acq_rel) == 1)
        timestamp_free(timestamp);
}

static struct core_timestamp *timestamp_of(struct core_deferred *item)
{
    return base_container_of(item, struct core_timestamp, deferred);
}

static void deferred_release(struct core_deferred *item)
{
    core_timestamp_release(timestamp_of(item));
}

static void deferred_free(struct core_deferred *item)
{
    timestamp_free(timestamp_of(item));
}

/* Releases the event's reference, once the record is no longer in flight. */
static void timestamp_discard(struct core_timestamp *timestamp)
{
    if (timestamp == NULL)
        return;
    if (timestamp->is_shared) {
        core_timestamp_release(timestamp);
        return;
    }
    timestamp->deferred.in_flight = &timestamp->in_flight;
    timestamp->deferred.destroy   = deferred_release;
    core_device_defer(timestamp->device, &timestamp->deferred);
}

/* A device of the backend may have no timestamps: then it stays NULL. */
static int32_t create_in_backend(struct core_device *device, struct trm_backend_stamp **timestamp)
{
    struct base_saved_error before;
    base_error_save(&before);
    base_error_clear();
    int32_t status = core_answer_object(device->backend, "profile.stamp_create",
                                        device->backend->profile.stamp_create(device->device, timestamp),
                                        "stamp", timestamp);
    if (status != TRM_OK && status != TRM_ERROR_UNSUPPORTED)
        return core_device_latch_loss(device, base_fail_backend(status));
    base_error_restore(&before);
    return TRM_OK;
}

static int32_t timestamp_create(struct core_device *device, struct core_timestamp **out)
{
    struct core_timestamp *timestamp = core_allocate(device->object.context, sizeof(*timestamp));
    if (timestamp == NULL)
        return base_fail_memory("creating a timestamp");
    timestamp->device = device;
    atomic_init(&timestamp->references, 1);
    int32_t status = is_native(device) ? create_in_backend(device, &timestamp->backend) : TRM_OK;
    if (status != TRM_OK) {
        core_free(device->object.context, timestamp, sizeof(*timestamp));
        return status;
    }
    core_object_retain(&device->object);
    *out = timestamp;
    return TRM_OK;
}

/* ---- recording -------------------------------------------------------------------------------------- */

static int32_t record_native(struct core_timestamp *timestamp, struct core_stream *stream, uint64_t *value)
{
    const struct trm_profile_ops *ops = &stream->device->backend->profile;
    *value                            = core_stream_next(stream);
    int32_t status                    = core_stream_commit(stream, *value, "profile.stamp_record",
                                                           ops->stamp_record(stream->backend, *value, timestamp->backend));
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&timestamp->in_flight, stream, *value);
    core_stream_count(stream, NULL);
    return TRM_OK;
}

/* Sets the time of a record and of all earlier ones of the stream: notifications may come out of order, and
 * time must not go backwards from one event of a stream to the next. */
static void set_time(struct core_timestamp *timestamp)
{
    struct core_device *device = timestamp->device;
    pthread_mutex_lock(&device->lock);
    uint64_t now = timestamp->is_queued ? base_now() : 0;
    while (timestamp->is_queued) {
        struct core_timestamp *oldest = timestamp->stream->timestamps;
        timestamp->stream->timestamps = oldest->next;
        oldest->is_queued             = 0;
        atomic_store(&oldest->time, now);
    }
    pthread_mutex_unlock(&device->lock);
}

/* Records are queued in the order of the stream. */
static void queue_timestamp(struct core_timestamp *timestamp, struct core_stream *stream)
{
    pthread_mutex_lock(&timestamp->device->lock);
    if (stream->timestamps != NULL)
        stream->last_timestamp->next = timestamp;
    else
        stream->timestamps = timestamp;
    stream->last_timestamp = timestamp;
    timestamp->next        = NULL;
    timestamp->stream      = stream;
    timestamp->is_queued   = true;
    pthread_mutex_unlock(&timestamp->device->lock);
}

/* Removes the last record, for which there is no notification. */
static void unqueue_timestamp(struct core_timestamp *timestamp)
{
    struct core_stream *stream    = timestamp->stream;
    struct core_timestamp *before = NULL;
    pthread_mutex_lock(&timestamp->device->lock);
    if (timestamp->is_queued) {
        for (struct core_timestamp *each = stream->timestamps; each != timestamp; each = each->next)
            before = each;
        if (before != NULL)
            before->next = NULL;
        else
            stream->timestamps = NULL;
        stream->last_timestamp = before;
        timestamp->is_queued   = false;
    }
    pthread_mutex_unlock(&timestamp->device->lock);
}

/* Runs on a thread on which no object may be destroyed. */
static void timestamp_notified(struct core_notification *notification, int32_t status)
{
    struct core_timestamp *timestamp = base_container_of(notification, struct core_timestamp, notification);
    struct core_device *device       = timestamp->device;
    (void)status; /* a reader queries the stream first */
    set_time(timestamp);
    if (atomic_fetch_sub_explicit(&timestamp->references, 1, memory_order_acq_rel) != 1)
        return;
    timestamp->deferred.in_flight = &timestamp->in_flight;
    timestamp->deferred.destroy   = deferred_free;
    core_device_defer_unchecked(device, &timestamp->deferred);
}

static int32_t record_emulated(struct core_timestamp *timestamp, struct core_stream *stream, uint64_t *value)
{
    int32_t status = core_stream_mark(stream, value);
    if (status != TRM_OK)
        return status;
    atomic_store(&timestamp->time, 0);
    timestamp->notification.notified = timestamp_notified;
    atomic_fetch_add_explicit(&timestamp->references, 1, memory_order_relaxed);
    core_in_flight_add(&timestamp->in_flight, stream, *value);
    queue_timestamp(timestamp, stream);
    status = core_notify(stream, *value, &timestamp->notification);
    if (status != TRM_OK) {
        unqueue_timestamp(timestamp);
        core_timestamp_release(timestamp);
    }
    return status;
}

static struct core_timestamp *swap(struct core_event *event, struct core_timestamp *timestamp)
{
    base_lock_acquire(&event->lock);
    struct core_timestamp *before = event->timestamp;
    event->timestamp              = timestamp;
    base_lock_release(&event->lock);
    return before;
}

/* True if the event alone has it and its last record has ended. */
static bool is_idle(struct core_timestamp *timestamp)
{
    return timestamp != NULL && !timestamp->is_shared &&
           atomic_load_explicit(&timestamp->references, memory_order_acquire) == 1 &&
           core_in_flight_is_done(&timestamp->in_flight);
}

/* While this records, the event has no timestamp, so that no two threads use one at once. */
int32_t core_event_record_timestamp(struct core_event *event, struct core_stream *stream, uint64_t *value)
{
    struct core_timestamp *before = swap(event, NULL), *timestamp = before;
    int32_t status = is_idle(before) ? TRM_OK : timestamp_create(event->device, &timestamp);
    if (status == TRM_OK) {
        status = timestamp->backend != NULL ? record_native(timestamp, stream, value)
                                            : record_emulated(timestamp, stream, value);
        if (status != TRM_OK && timestamp != before)
            timestamp_discard(timestamp);
    }
    if (status != TRM_OK)
        timestamp = before;
    else if (timestamp != before)
        timestamp_discard(before);
    timestamp_discard(swap(event, timestamp));
    return status;
}

void core_event_release_timestamp(struct core_event *event)
{
    timestamp_discard(swap(event, NULL));
}

/* ---- timestamps of graphs --------------------------------------------------------------------------- */

bool core_timestamps_are_native(const struct core_device *device)
{
    return is_native(device);
}

int32_t core_timestamp_create_shared(struct core_device *device, struct core_timestamp **timestamp)
{
    int32_t status = timestamp_create(device, timestamp);
    if (status == TRM_OK)
        (*timestamp)->is_shared = true;
    return status;
}

struct trm_backend_stamp *core_timestamp_backend(const struct core_timestamp *timestamp)
{
    return timestamp->backend;
}

/* Mostly the event is on the same stream as before, with the same timestamp. */
void core_event_set_timestamp(struct core_event *event, struct core_timestamp *timestamp,
                              struct core_stream *stream, uint64_t value)
{
    struct core_timestamp *old_timestamp = NULL;
    struct core_stream *old_stream       = NULL;
    base_lock_acquire(&event->lock);
    if (event->timestamp != timestamp) {
        atomic_fetch_add_explicit(&timestamp->references, 1, memory_order_relaxed);
        old_timestamp    = event->timestamp;
        event->timestamp = timestamp;
    }
    if (event->stream != stream) {
        core_object_retain(&stream->object);
        old_stream    = event->stream;
        event->stream = stream;
    }
    event->value = value;
    base_lock_release(&event->lock);
    timestamp_discard(old_timestamp);
    core_object_release(old_stream != NULL ? &old_stream->object : NULL);
}

/* ---- reading -------------------------------------------------------------------------------------- */

/* What an event holds, with a reference of each. */
struct record {
    struct core_stream *stream;
    uint64_t value;
    struct core_timestamp *timestamp;
};

static int32_t record_get(struct core_event *event, struct record *record)
{
    base_lock_acquire(&event->lock);
    record->stream    = event->stream;
    record->value     = event->value;
    record->timestamp = event->timestamp;
    if (record->stream != NULL)
        core_object_retain(&record->stream->object);
    if (record->timestamp != NULL)
        atomic_fetch_add_explicit(&record->timestamp->references, 1, memory_order_relaxed);
    base_lock_release(&event->lock);
    if (record->stream != NULL)
        return TRM_OK;
    core_timestamp_release(record->timestamp);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the event was never recorded, so it holds no time");
}

static int32_t read_timestamp(struct core_timestamp *timestamp, uint64_t *nanoseconds)
{
    if (timestamp->backend == NULL) {
        set_time(timestamp);
        *nanoseconds = atomic_load(&timestamp->time);
        return TRM_OK;
    }
    const struct core_backend *backend = timestamp->device->backend;
    uint64_t read                      = 0;
    base_error_clear();
    int32_t status =
        core_answer(backend, "profile.stamp_read", backend->profile.stamp_read(timestamp->backend, &read));
    if (status != TRM_OK)
        return core_device_latch_loss(timestamp->device, base_fail_backend(status));
    *nanoseconds = read;
    return TRM_OK;
}

int32_t core_event_time(struct core_event *event, uint64_t *nanoseconds)
{
    struct record record;
    int32_t status = record_get(event, &record);
    if (status != TRM_OK)
        return status;
    status = core_stream_query(record.stream, record.value);
    if (status == TRM_OK && record.timestamp == NULL)
        status = base_fail(TRM_ERROR_TIMEOUT, "another thread is recording the event");
    if (status == TRM_OK)
        status = read_timestamp(record.timestamp, nanoseconds);
    core_timestamp_release(record.timestamp);
    core_object_release(&record.stream->object);
    return status;
}

static int32_t check_pair(const struct core_event *start, const struct core_event *end,
                          const int64_t *nanoseconds)
{
    int32_t status = core_output_check(nanoseconds, "trm_event_elapsed", "nanoseconds");
    if (status != TRM_OK)
        return status;
    if (!(start->flags & end->flags & TRM_EVENT_TIMING))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "an event created without TRM_EVENT_TIMING holds no time");
    if (start->device != end->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE, "events of two devices, %s and %s, cannot be compared",
                         start->device->id, end->device->id);
    return TRM_OK;
}

static int32_t elapsed(struct core_event *start, struct core_event *end, int64_t *nanoseconds)
{
    uint64_t from = 0, to = 0;
    int32_t status = check_pair(start, end, nanoseconds);
    if (status == TRM_OK)
        status = core_event_time(start, &from);
    if (status == TRM_OK)
        status = core_event_time(end, &to);
    if (status == TRM_OK)
        *nanoseconds = (int64_t)(to - from);
    return status;
}

int32_t trm_event_elapsed(struct trm_event *start_handle, struct trm_event *end_handle, int64_t *nanoseconds)
{
    struct core_event *start = core_object_enter(start_handle, CORE_EVENT);
    if (start == NULL)
        return base_last_status();
    struct core_event *end = core_object_enter(end_handle, CORE_EVENT);
    int32_t status         = end != NULL ? elapsed(start, end, nanoseconds) : base_last_status();
    if (end != NULL)
        core_object_leave(&end->object);
    core_object_leave(&start->object);
    return status;
}
