/* Events that take the time.
 *
 * The backend stamps where it can (the profile table). Else the host's clock is read in a
 * notification, or, if somebody asks first, when he does so.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "base/base.h"
#include "core/stream/deferred.h"
#include "core/stream/event.h"
#include "core/stream/notify.h"
#include "core/stream/stream_object.h"

struct core_timestamp {
    struct core_device *device;        /* holds a reference */
    _Atomic uint32_t references;       /* the event's or the deferred list's, a reader's, a notification's */
    struct core_in_flight in_flight;   /* the record in flight */
    struct core_deferred deferred;     /* while it is, and the event has moved on */
    struct trm_backend_stamp *backend; /* NULL: emulated, by what follows */
    struct core_notification notification;
    struct core_stream *stream;  /* of the last record; pinned while that is queued */
    struct core_timestamp *next; /* in the queue of the stream; under device->lock */
    int32_t queued;              /* 1: it has no time yet; under device->lock */
    _Atomic uint64_t time;       /* nanoseconds; 0: not yet */
    int32_t
        shared; /* 1: of a graph, whose instance has a reference for as long as a record may be in flight */
};

/* ---- the ends of life ----------------------------------------------------------------------------- */

static int32_t is_native(const struct core_device *device)
{
    const struct trm_profile_ops *ops = &device->backend->profile;
    return ops->stamp_create != NULL && ops->stamp_destroy != NULL && ops->stamp_record != NULL &&
           ops->stamp_read != NULL;
}

static void stamp_free(struct core_timestamp *stamp)
{
    struct core_device *device = stamp->device;
    core_in_flight_fini(device->object.context, &stamp->in_flight);
    if (stamp->backend != NULL)
        device->backend->profile.stamp_destroy(stamp->backend);
    core_free(device->object.context, stamp, sizeof(*stamp));
    core_object_release(&device->object);
}

static void stamp_unref(struct core_timestamp *stamp)
{
    if (stamp != NULL && atomic_fetch_sub_explicit(&stamp->references, 1, memory_order_acq_rel) == 1)
        stamp_free(stamp);
}

static struct core_timestamp *stamp_of(struct core_deferred *item)
{
    return (struct core_timestamp *)((char *)item - offsetof(struct core_timestamp, deferred));
}

static void deferred_unref(struct core_deferred *item)
{
    stamp_unref(stamp_of(item));
}

static void deferred_free(struct core_deferred *item)
{
    stamp_free(stamp_of(item));
}

/* The event's reference goes; if the record is in flight, when it has ended. */
static void stamp_discard(struct core_timestamp *stamp)
{
    if (stamp == NULL)
        return;
    if (stamp->shared) {
        stamp_unref(stamp);
        return;
    }
    stamp->deferred.in_flight = &stamp->in_flight;
    stamp->deferred.go        = deferred_unref;
    core_device_defer(stamp->device, &stamp->deferred);
}

/* A device of the backend may be without: it stays NULL. */
static int32_t create_below(struct core_device *device, struct trm_backend_stamp **stamp)
{
    struct base_saved_error before;
    base_error_save(&before);
    base_error_clear();
    int32_t status = device->backend->profile.stamp_create(device->device, stamp);
    if (status != TRM_OK && status != TRM_ERROR_UNSUPPORTED)
        return core_device_latch_loss(device, base_fail_backend(status));
    base_error_restore(&before);
    return TRM_OK;
}

static int32_t stamp_create(struct core_device *device, struct core_timestamp **out)
{
    struct core_timestamp *stamp = core_allocate(device->object.context, sizeof(*stamp));
    if (stamp == NULL)
        return base_fail_memory("making a timestamp");
    stamp->device = device;
    atomic_init(&stamp->references, 1);
    int32_t status = is_native(device) ? create_below(device, &stamp->backend) : TRM_OK;
    if (status != TRM_OK) {
        core_free(device->object.context, stamp, sizeof(*stamp));
        return status;
    }
    core_object_retain(&device->object);
    *out = stamp;
    return TRM_OK;
}

/* ---- recording -------------------------------------------------------------------------------------- */

static int32_t record_native(struct core_timestamp *stamp, struct core_stream *stream, uint64_t *value)
{
    const struct trm_profile_ops *ops = &stream->device->backend->profile;
    *value                            = core_stream_next(stream);
    int32_t status =
        core_stream_commit(stream, *value, ops->stamp_record(stream->backend, *value, stamp->backend));
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&stamp->in_flight, stream, *value);
    core_stream_count(stream, NULL);
    return TRM_OK;
}

/* Whoever tells of a record may be overtaken by one who tells of a later one. So all before it in the stream get their time too:
 * from one event of a stream to the next, time does not go backwards. */
static void note_time(struct core_timestamp *stamp)
{
    struct core_device *device = stamp->device;
    pthread_mutex_lock(&device->lock);
    uint64_t now = stamp->queued ? base_now() : 0;
    while (stamp->queued) {
        struct core_timestamp *oldest = stamp->stream->stamps;
        stamp->stream->stamps         = oldest->next;
        oldest->queued                = 0;
        atomic_store(&oldest->time, now);
    }
    pthread_mutex_unlock(&device->lock);
}

/* In the order in which they are recorded, which is that of the stream. */
static void queue_stamp(struct core_timestamp *stamp, struct core_stream *stream)
{
    pthread_mutex_lock(&stamp->device->lock);
    if (stream->stamps != NULL)
        stream->last_stamp->next = stamp;
    else
        stream->stamps = stamp;
    stream->last_stamp = stamp;
    stamp->next        = NULL;
    stamp->stream      = stream;
    stamp->queued      = 1;
    pthread_mutex_unlock(&stamp->device->lock);
}

/* Nobody will tell of it. It is the last one. */
static void unqueue_stamp(struct core_timestamp *stamp)
{
    struct core_stream *stream    = stamp->stream;
    struct core_timestamp *before = NULL;
    pthread_mutex_lock(&stamp->device->lock);
    if (stamp->queued) {
        for (struct core_timestamp *each = stream->stamps; each != stamp; each = each->next)
            before = each;
        if (before != NULL)
            before->next = NULL;
        else
            stream->stamps = NULL;
        stream->last_stamp = before;
        stamp->queued      = 0;
    }
    pthread_mutex_unlock(&stamp->device->lock);
}

/* Nothing may end on this thread. */
static void stamp_notified(struct core_notification *notification, int32_t status)
{
    struct core_timestamp *stamp =
        (struct core_timestamp *)((char *)notification - offsetof(struct core_timestamp, notification));
    struct core_device *device = stamp->device;
    (void)status; /* whoever reads the time asks the stream first */
    note_time(stamp);
    if (atomic_fetch_sub_explicit(&stamp->references, 1, memory_order_acq_rel) != 1)
        return;
    stamp->deferred.in_flight = &stamp->in_flight;
    stamp->deferred.go        = deferred_free;
    core_device_defer_unchecked(device, &stamp->deferred);
}

static int32_t record_emulated(struct core_timestamp *stamp, struct core_stream *stream, uint64_t *value)
{
    int32_t status = core_stream_mark(stream, value);
    if (status != TRM_OK)
        return status;
    atomic_store(&stamp->time, 0);
    stamp->notification.notified = stamp_notified;
    atomic_fetch_add_explicit(&stamp->references, 1, memory_order_relaxed);
    core_in_flight_add(&stamp->in_flight, stream, *value);
    queue_stamp(stamp, stream);
    status = core_notify(stream, *value, &stamp->notification);
    if (status != TRM_OK) {
        unqueue_stamp(stamp);
        stamp_unref(stamp);
    }
    return status;
}

static struct core_timestamp *swap(struct core_event *event, struct core_timestamp *stamp)
{
    base_lock_acquire(&event->lock);
    struct core_timestamp *before = event->stamp;
    event->stamp                  = stamp;
    base_lock_release(&event->lock);
    return before;
}

/* Only the event has it, and its last record has ended. */
static int32_t is_idle(struct core_timestamp *stamp)
{
    return stamp != NULL && !stamp->shared &&
           atomic_load_explicit(&stamp->references, memory_order_acquire) == 1 &&
           core_in_flight_is_done(&stamp->in_flight);
}

/* While it records the event has no stamp, so that no two threads use one at once. */
int32_t core_event_record_timestamp(struct core_event *event, struct core_stream *stream, uint64_t *value)
{
    struct core_timestamp *before = swap(event, NULL), *stamp = before;
    int32_t status = is_idle(before) ? TRM_OK : stamp_create(event->device, &stamp);
    if (status == TRM_OK) {
        status = stamp->backend != NULL ? record_native(stamp, stream, value)
                                        : record_emulated(stamp, stream, value);
        if (status != TRM_OK && stamp != before)
            stamp_discard(stamp);
    }
    if (status != TRM_OK)
        stamp = before;
    else if (stamp != before)
        stamp_discard(before);
    stamp_discard(swap(event, stamp));
    return status;
}

void core_event_release_timestamp(struct core_event *event)
{
    stamp_discard(swap(event, NULL));
}

/* ---- stamps of graphs ------------------------------------------------------------------------------- */

int32_t core_timestamps_are_native(const struct core_device *device)
{
    return is_native(device);
}

int32_t core_timestamp_create_shared(struct core_device *device, struct core_timestamp **stamp)
{
    int32_t status = stamp_create(device, stamp);
    if (status == TRM_OK)
        (*stamp)->shared = 1;
    return status;
}

struct trm_backend_stamp *core_timestamp_backend(const struct core_timestamp *stamp)
{
    return stamp->backend;
}

void core_timestamp_release(struct core_timestamp *stamp)
{
    stamp_unref(stamp);
}

/* Mostly the event is on the same stream as before, with the same stamp. */
void core_event_set_timestamp(struct core_event *event, struct core_timestamp *stamp,
                              struct core_stream *stream, uint64_t value)
{
    struct core_timestamp *old_stamp = NULL;
    struct core_stream *old_stream   = NULL;
    base_lock_acquire(&event->lock);
    if (event->stamp != stamp) {
        atomic_fetch_add_explicit(&stamp->references, 1, memory_order_relaxed);
        old_stamp    = event->stamp;
        event->stamp = stamp;
    }
    if (event->stream != stream) {
        core_object_retain(&stream->object);
        old_stream    = event->stream;
        event->stream = stream;
    }
    event->value = value;
    base_lock_release(&event->lock);
    stamp_discard(old_stamp);
    core_object_release(old_stream != NULL ? &old_stream->object : NULL);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* What an event holds, with a reference of each. */
struct record {
    struct core_stream *stream;
    uint64_t value;
    struct core_timestamp *stamp;
};

static int32_t record_hold(struct core_event *event, struct record *record)
{
    base_lock_acquire(&event->lock);
    record->stream = event->stream;
    record->value  = event->value;
    record->stamp  = event->stamp;
    if (record->stream != NULL)
        core_object_retain(&record->stream->object);
    if (record->stamp != NULL)
        atomic_fetch_add_explicit(&record->stamp->references, 1, memory_order_relaxed);
    base_lock_release(&event->lock);
    if (record->stream != NULL)
        return TRM_OK;
    stamp_unref(record->stamp);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "an event that was never recorded holds no time");
}

static int32_t read_stamp(struct core_timestamp *stamp, uint64_t *nanoseconds)
{
    if (stamp->backend == NULL) {
        note_time(stamp);
        *nanoseconds = atomic_load(&stamp->time);
        return TRM_OK;
    }
    base_error_clear();
    int32_t status = stamp->device->backend->profile.stamp_read(stamp->backend, nanoseconds);
    return status == TRM_OK ? TRM_OK : core_device_latch_loss(stamp->device, base_fail_backend(status));
}

int32_t core_event_time(struct core_event *event, uint64_t *nanoseconds)
{
    struct record record;
    int32_t status = record_hold(event, &record);
    if (status != TRM_OK)
        return status;
    status = core_stream_query(record.stream, record.value);
    if (status == TRM_OK && record.stamp == NULL)
        status = base_fail(TRM_ERROR_TIMEOUT, "the event is being recorded at this moment");
    if (status == TRM_OK)
        status = read_stamp(record.stamp, nanoseconds);
    stamp_unref(record.stamp);
    core_object_release(&record.stream->object);
    return status;
}

static int32_t check_pair(const struct core_event *start, const struct core_event *end,
                          const int64_t *nanoseconds)
{
    if (nanoseconds == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_event_elapsed: `nanoseconds` is NULL");
    if (!(start->flags & end->flags & TRM_EVENT_TIMING))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "an event that was made without TRM_EVENT_TIMING holds no time");
    if (start->device != end->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE, "events of two devices, %s and %s, have no time in common",
                         start->device->id, end->device->id);
    return TRM_OK;
}

int32_t trm_event_elapsed(struct trm_event *start_handle, struct trm_event *end_handle, int64_t *nanoseconds)
{
    uint64_t from, to;
    struct core_event *start = core_event_find(start_handle);
    if (start == NULL)
        return base_last_status();
    struct core_event *end = core_event_find(end_handle);
    if (end == NULL)
        return base_last_status();
    int32_t status = check_pair(start, end, nanoseconds);
    if (status == TRM_OK)
        status = core_event_time(start, &from);
    if (status == TRM_OK)
        status = core_event_time(end, &to);
    if (status == TRM_OK)
        *nanoseconds = (int64_t)(to - from);
    return status;
}
