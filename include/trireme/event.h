/* Trireme: events, small objects that hold a point. Recording one again moves it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_EVENT_H
#define TRIREME_EVENT_H

#include <trireme/api.h>
#include <trireme/point.h>

TRM_API_BEGIN

enum trm_event_flags {
    TRM_EVENT_TIMING = 1u << 0, /* trm_event_elapsed() may be asked; recording costs a timestamp */
};

/* Events come from a pool and are cheap (under 128 bytes, well under a microsecond).
 * Ownership   keeps the device alive; trm_event_destroy() ends it, at any time, also before it
 *             is reached */
TRM_API int32_t trm_event_create(struct trm_device *device, uint32_t flags, struct trm_event **event);
TRM_API void trm_event_destroy(struct trm_event *event);

/* Let the event hold the place after everything enqueued so far on `stream`. The stream is of
 * the same context; with TRM_EVENT_TIMING of the same device. Serialised with the stream's other
 * operations by the caller. */
TRM_API int32_t trm_event_record(struct trm_event *event, struct trm_stream *stream);

/* As trm_point_wait() and trm_point_done() for the point the event holds at the time of the
 * call; an event never recorded counts as reached. It stays valid after its stream has been
 * destroyed. */
TRM_API int32_t trm_event_wait(struct trm_event *event, uint64_t timeout_ns);
TRM_API int32_t trm_event_done(struct trm_event *event);

/* The point that the event holds. NOT_FOUND when never recorded. */
TRM_API int32_t trm_event_point(struct trm_event *event, struct trm_point *point);

/* Time between two reached events, by the device's clock.
 *
 * nanoseconds may be negative if `end` came first
 * Errors      TIMEOUT if one is not reached yet; INVALID_ARGUMENT without TRM_EVENT_TIMING or never
 *             recorded; WRONG_DEVICE
 */
TRM_API int32_t trm_event_elapsed(struct trm_event *start, struct trm_event *end, int64_t *nanoseconds);

TRM_API_END

#endif
