/* Events.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include <trireme/event.h>

#include "core/device.h"
#include "core/lock.h"

struct core_stamp;
struct core_stream;

struct core_event {
    struct core_object object;
    struct core_device *device;
    uint32_t flags;             /* enum trm_event_flags */
    struct core_lock lock;      /* guards what follows */
    struct core_stream *stream; /* holds a reference; NULL: never recorded */
    uint64_t value;
    struct core_stamp *stamp; /* event_time.c: of the last record, with TRM_EVENT_TIMING */
};

static inline struct core_event *core_event_find(struct trm_event *handle)
{
    return core_object_find(handle, CORE_EVENT);
}

/* The point that the event holds, with a reference of its stream. 0: never recorded. */
int32_t core_event_hold(struct core_event *event, struct core_stream **stream, uint64_t *value);

/* core/event_time.c: enqueue taking the time, for an event with TRM_EVENT_TIMING. */
int32_t core_event_stamp(struct core_event *event, struct core_stream *stream, uint64_t *value);
void core_event_stamp_end(struct core_event *event);

#endif
