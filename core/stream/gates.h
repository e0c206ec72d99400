/* Gates: how a stream waits, on the device, for something that happens on the host. For backends that
 * have gate() and open_gates().
 *
 * A stream's gates open in the order in which they were enqueued, and what is to be done before one
 * opens (a callback) is done in that order too, on the service thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_GATES_H
#define CORE_STREAM_GATES_H

#include "core/stream/stream_object.h"

static inline int32_t core_stream_has_gates(const struct core_stream *stream)
{
    return stream->ops->gate != NULL && stream->ops->open_gates != NULL;
}

/* Let `stream` wait for `value` of `other`. If `other` fails, so does `stream`. */
int32_t core_gate_wait(struct core_stream *stream, struct core_stream *other, uint64_t value);

/* Let `stream` call back, and wait until that has returned. */
int32_t core_gate_callback(struct core_stream *stream, trm_callback_fn callback, void *user);

/* Memory of gates is kept for further ones, so that callbacks allocate nothing for long; this lets it go. When
 * nobody has a reference of the stream any more. */
void core_gates_free_spare(struct core_stream *stream);

#endif
