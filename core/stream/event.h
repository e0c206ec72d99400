/* Events.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_EVENT_H
#define CORE_STREAM_EVENT_H

#include <trireme/event.h>

#include "base/base.h"
#include "core/device/device.h"

struct core_timestamp;
struct core_stream;

struct core_event {
    struct core_object object;
    struct core_device *device;
    uint32_t flags;             /* enum trm_event_flags */
    struct base_lock lock;      /* guards what follows */
    struct core_stream *stream; /* holds a reference; NULL: never recorded */
    uint64_t value;
    struct core_timestamp *stamp; /* event_time.c: of the last record, with TRM_EVENT_TIMING */
};

static inline struct core_event *core_event_find(struct trm_event *handle)
{
    return core_object_find(handle, CORE_EVENT);
}

/* The point that the event holds, with a reference of its stream. 0: never recorded. */
int32_t core_event_get_point(struct core_event *event, struct core_stream **stream, uint64_t *value);

/* What trm_event_record() does, on a stream of the right device that core_stream_begin() has found and that does not
 * record. */
int32_t core_event_record(struct core_event *event, struct core_stream *stream);

/* The same for an event with TRM_EVENT_TIMING of the stream's device that is not waited for, and read when a later place of the
 * stream has been reached: its own place is not marked, which costs as much as the stamp. The stream does not record. */
int32_t core_event_record_time(struct trm_event *handle, struct trm_stream *stream);

/* core/stream/event_time.c: enqueue taking the time, for an event with TRM_EVENT_TIMING. The place need not be marked. */
int32_t core_event_record_timestamp(struct core_event *event, struct core_stream *stream, uint64_t *value);
void core_event_release_timestamp(struct core_event *event);

/* When it was reached, in nanoseconds of CLOCK_MONOTONIC. Errors: as trm_event_elapsed(). */
int32_t core_event_time(struct core_event *event, uint64_t *nanoseconds);

/* Stamps of graphs, which their instances own, and which the launches of an instance record, one after the other. Whoever
 * makes one drops it (NULL is fine) when its last record has ended. */
int32_t core_timestamps_are_native(const struct core_device *device); /* 1: the backend has stamps */
int32_t core_timestamp_create_shared(struct core_device *device, struct core_timestamp **stamp);
struct trm_backend_stamp *core_timestamp_backend(const struct core_timestamp *stamp);
void core_timestamp_release(struct core_timestamp *stamp);

/* Operation `value` of `stream` has been enqueued, which records the shared stamp: it is the event's record now. */
void core_event_set_timestamp(struct core_event *event, struct core_timestamp *stamp,
                              struct core_stream *stream, uint64_t value);

#endif
