/* Being told when a stream gets somewhere: by the backend, or by a thread that waits where the backend
 * cannot tell.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_NOTIFY_H
#define CORE_STREAM_NOTIFY_H

#include "core/stream/stream_object.h"

/* Embedded in what wants to be told. */
struct core_notification {
    /* Called once, from any thread, perhaps before core_notify() returns. Does not block, does not
     * call the backend, drops no reference; may free the notification. The stream is pinned
     * meanwhile. status is TRM_OK, or the failure that keeps the stream from getting there. */
    void (*notified)(struct core_notification *notification, int32_t status);

    /* For core/stream/notify.c. */
    struct core_notification *next;
    struct core_stream *stream;
    uint64_t value;
};

/* Have notification->notified() called when `value` is complete or the stream has failed. The caller
 * holds a reference of the stream. When this fails it is not called. */
int32_t core_notify(struct core_stream *stream, uint64_t value, struct core_notification *notification);

/* Emulated notifications of one stream; made at the first. NULL is fine. */
void core_watch_destroy(struct core_context *context, struct core_watch *watch);

#endif
