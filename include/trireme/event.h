/* Trireme: events. An event is a small object that holds a point; recording it again moves it to another one.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * event       the event, or for trm_event_create() receives it
 * Blocks      no
 * Threads     any
 * Ownership   an event keeps its device alive. It needs its stream's handle no longer than the call that
 *             records it: it stays valid when the stream has been destroyed
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_EVENT_H
#define TRIREME_EVENT_H

#include <trireme/api.h>
#include <trireme/point.h>

TRM_API_BEGIN

enum trm_event_flags {
    TRM_EVENT_TIMING = 1u << 0, /* trm_event_elapsed() works; recording costs a timestamp */
};

/* Make an event. Events come from a pool and are cheap: under 128 bytes, well under a microsecond.
 *
 * device      the device of its timestamps
 * flags       enum trm_event_flags
 * Ownership   the caller destroys the event with trm_event_destroy()
 * Errors      INVALID_ARGUMENT for unknown flags
 */
TRM_API int32_t trm_event_create(struct trm_device *device, uint32_t flags, struct trm_event **event);

/* Destroy an event, also one whose point is not reached yet. */
TRM_API void trm_event_destroy(struct trm_event *event);

/* Move an event to the place after everything that is enqueued on `stream`.
 *
 * stream      a stream of the same context, with TRM_EVENT_TIMING of the same device
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      INVALID_ARGUMENT for a stream of another context; WRONG_DEVICE; UNSUPPORTED for an event
 *             without TRM_EVENT_TIMING on a stream that records into a graph; the stream's first failure
 */
TRM_API int32_t trm_event_record(struct trm_event *event, struct trm_stream *stream);

/* Wait for, or poll, the point that an event holds when the call begins. An event that was never recorded
 * counts as reached.
 *
 * timeout_ns  nanoseconds; 0 polls, TRM_FOREVER waits without a limit
 * Blocks      trm_event_wait() does, trm_event_done() does not
 * Errors      TIMEOUT when the point is not reached; the first failure of its stream; DEADLOCK inside a host
 *             callback that the point comes after
 */
TRM_API int32_t trm_event_wait(struct trm_event *event, uint64_t timeout_ns);
TRM_API int32_t trm_event_done(struct trm_event *event);

/* Get the `point` that an event holds.
 *
 * Ownership   the point is valid until its stream is destroyed
 * Errors      NOT_FOUND when the event was never recorded
 */
TRM_API int32_t trm_event_point(struct trm_event *event, struct trm_point *point);

/* Get the time between two events that are reached, by the device's clock.
 *
 * start, end  events of one device with TRM_EVENT_TIMING
 * nanoseconds receives the time from start to end; negative when end was first
 * Errors      INVALID_ARGUMENT without TRM_EVENT_TIMING, or for an event that was never recorded;
 *             WRONG_DEVICE; TIMEOUT when one is not reached yet; the first failure of one of the streams
 */
TRM_API int32_t trm_event_elapsed(struct trm_event *start, struct trm_event *end, int64_t *nanoseconds);

TRM_API_END

#endif
