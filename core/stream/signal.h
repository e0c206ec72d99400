/* Signals: a descriptor that becomes readable when several operations of streams have ended, for event loops.
 *
 * The program owns the descriptor and may close it at any time, after which the number may name another file.
 * So a signal has a duplicate of its own. What raises it and what made it hold references; the last one frees
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_SIGNAL_H
#define CORE_STREAM_SIGNAL_H

#include "core/stream/stream_object.h"

struct core_signal {
    struct core_context *context;
    struct core_signal *next; /* in a list of its owner */
    int descriptor;
    _Atomic uint32_t references;
    _Atomic uint32_t pending; /* operations that have not ended; one more until core_signal_arm() */
    _Atomic bool is_raised;
};

/* Makes an eventfd, close-on-exec and non-blocking, and a signal for it, which the caller releases. call: for
 * the sentence. Errors: OUT_OF_HOST_MEMORY; BACKEND where there are no descriptors left. */
int32_t core_signal_create(struct core_context *context, const char *call, int32_t *descriptor,
                           struct core_signal **signal);

/* The signal also waits for `value` of a stream, or the stream's failure. The stream is entered or pinned.
 * Before core_signal_arm(). Errors: those of core_notify(). */
int32_t core_signal_add(struct core_signal *signal, struct core_stream *stream, uint64_t value);

/* From now on the signal is raised when everything that was added has ended; at once when nothing is left. */
void core_signal_arm(struct core_signal *signal);

/* Makes the descriptor readable, if it was not yet. */
void core_signal_raise(struct core_signal *signal);

void core_signal_retain(struct core_signal *signal);
void core_signal_release(struct core_signal *signal);

#endif
