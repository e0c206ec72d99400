/* Notifications that a stream has reached an operation: from the backend, or from a thread that waits where
 * the backend has none.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_NOTIFY_H
#define CORE_STREAM_NOTIFY_H

#include "core/stream/stream_object.h"

/* Embedded in the object to notify. */
struct core_notification {
    /* Called once, from any thread, perhaps before core_notify() returns. It must not block, call the
     * backend or release a reference; it may free the notification. The stream is pinned meanwhile.
     * `status` is TRM_OK, or the failure that keeps the stream from getting there. */
    void (*notified)(struct core_notification *notification, int32_t status);

    /* For notify.c. */
    struct core_notification *next;
    struct core_stream *stream;
    uint64_t value;
};

/* Calls notification->notified() when `value` is complete or the stream has failed. The caller holds a
 * reference of the stream. On an error it is never called. */
int32_t core_notify(struct core_stream *stream, uint64_t value, struct core_notification *notification);

/* Frees the emulated notifications of one stream, which the first one creates. NULL is fine. */
void core_watch_destroy(struct core_context *context, struct core_watch *watch);

#endif
