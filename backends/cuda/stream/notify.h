/* cuda backend: notifications, and waits with a time-out.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_NOTIFY_H
#define CUDA_STREAM_NOTIFY_H

#include "stream_object.h"

int32_t cuda_stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                           void *user);

/* Wait for any number until `deadline`. Blocks. */
int32_t cuda_stream_wait_until(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline);

/* Deliver the notifications that are due. The caller has pinned the stream. */
void cuda_notifications_deliver(struct trm_backend_stream *stream);

/* What a watcher thread has to do next for a stream. */
enum cuda_notify_step {
    CUDA_NOTIFY_NOTHING,
    CUDA_NOTIFY_DELIVER,
    CUDA_NOTIFY_WAIT, /* for a number that no thread waits for */
};
/* With the stream's lock. */
enum cuda_notify_step cuda_notifications_next_locked(const struct trm_backend_stream *stream,
                                                     uint64_t *value);
/* Queue the stream for a watcher thread if a notification needs one. */
void cuda_notifications_watch(struct trm_backend_stream *stream);

#endif
