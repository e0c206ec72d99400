/* The event room: events, which hold the last point that was recorded into them.
 *
 *     event.c       recording, waiting, queries
 *     event_time.c  timestamps of events
 *     event_pool.c  their memory
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_EVENT_EVENT_H
#define CORE_EVENT_EVENT_H

#include <stdbool.h>
#include <trireme/event.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/event/event_pool.h"
#include "core/stream/stream.h"

struct core_stream;
struct core_timestamp;

struct core_event {
    struct core_object object;
    struct core_device *device;
    uint32_t flags;             /* enum trm_event_flags */
    struct base_lock lock;      /* guards what follows */
    struct core_stream *stream; /* holds a reference; NULL: never recorded */
    uint64_t value;
    struct core_timestamp *timestamp; /* event_time.c: of the last record, with TRM_EVENT_TIMING */
};

static inline struct core_event *core_event_find(struct trm_event *handle)
{
    return core_object_find(handle, CORE_EVENT);
}

/* What trm_event_create() does. For rooms that use the device also when the program has destroyed its
 * handle. */
int32_t core_event_create(struct core_device *device, uint32_t flags, struct trm_event **event);

/* Gets the point that the event holds, with a reference of its stream. False if the event was never
 * recorded. */
bool core_event_get_point(struct core_event *event, struct core_stream **stream, uint64_t *value);

/* What trm_event_record() does. `stream` comes from core_stream_begin(), is on the right device and does not
 * record into a graph. */
int32_t core_event_record(struct core_event *event, struct core_stream *stream);

/* Records the time alone, for an event with TRM_EVENT_TIMING of the stream's device. The event must not be
 * waited for: its own point is not marked, which would cost as much as the timestamp. Read the event once a
 * later point of the stream is reached. The stream does not record into a graph. */
int32_t core_event_record_time(struct trm_event *handle, struct trm_stream *stream);

/* event_time.c: enqueues a timestamp for an event with TRM_EVENT_TIMING. The point need not be marked. */
int32_t core_event_record_timestamp(struct core_event *event, struct core_stream *stream, uint64_t *value);
void core_event_release_timestamp(struct core_event *event);

/* When the event was reached, in nanoseconds of CLOCK_MONOTONIC. Errors: as trm_event_elapsed(). */
int32_t core_event_time(struct core_event *event, uint64_t *nanoseconds);

/* True if the device's backend has timestamps. */
bool core_timestamps_are_native(const struct core_device *device);

/* Shared timestamps: those of graphs. An instance owns them, and its launches record them one after the
 * other. The creator releases one (NULL is fine) when its last record has ended. */
int32_t core_timestamp_create_shared(struct core_device *device, struct core_timestamp **timestamp);
struct trm_backend_stamp *core_timestamp_backend(const struct core_timestamp *timestamp);
void core_timestamp_release(struct core_timestamp *timestamp);

/* Makes a shared timestamp the event's record: operation `value` of `stream`, which is enqueued, takes it. */
void core_event_set_timestamp(struct core_event *event, struct core_timestamp *timestamp,
                              struct core_stream *stream, uint64_t value);

#endif
