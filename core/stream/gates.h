/* Gates: how a stream waits, on the device, for something that happens on the host. For backends that have
 * gate() and open_gates().
 *
 * A stream's gates open in the order in which they were enqueued. What comes before one opens (a callback)
 * runs in that order too, on the service thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_GATES_H
#define CORE_STREAM_GATES_H

#include "core/stream/stream_object.h"

static inline bool core_stream_has_gates(const struct core_stream *stream)
{
    return stream->ops->gate != NULL && stream->ops->open_gates != NULL;
}

/* Lets `stream` wait for `value` of `other`, which `wait` names. If `other` fails, so does `stream`. */
int32_t core_gate_wait(struct core_stream *stream, struct core_stream *other, uint64_t value,
                       struct core_wait wait);

/* Lets `stream` call back, and wait until the callback has returned. */
int32_t core_gate_callback(struct core_stream *stream, trm_callback_fn callback, void *user);

/* Frees the gates that are cached for reuse. Called when the stream's last reference is released. */
void core_gates_free_spare(struct core_stream *stream);

#endif
