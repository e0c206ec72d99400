/* Signals: a descriptor that becomes readable when several operations of streams have ended, for event loops.
 *
 * The program owns the descriptor and may close it at any time, after which the number may name another file.
 * So a signal has a duplicate of its own. The creator of a signal and the notifications that raise it hold
 * references; the last one frees it. A signal that is raised before it has a descriptor needs no duplicate.
 * That is frequent, since the thread that asks for the descriptor often runs the work itself, and it saves
 * time, since most of a descriptor's cost is system calls.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_SIGNAL_H
#define CORE_STREAM_SIGNAL_H

#include "core/stream/notify.h"
#include "core/stream/stream_object.h"

enum core_signal_state {
    CORE_SIGNAL_CLOSED = 0, /* without a descriptor */
    CORE_SIGNAL_OPEN   = 1, /* `descriptor` is the duplicate */
    CORE_SIGNAL_RAISED = 2,
};

/* An operation that a signal waits for. */
struct core_signal_entry {
    struct core_notification notification;
    struct core_signal *signal;
};

struct core_signal {
    struct core_context *context;
    struct core_signal *next; /* in a list of its owner */
    int descriptor;           /* -1: none */
    _Atomic uint32_t references;
    _Atomic uint32_t pending;       /* operations that have not ended; one more until core_signal_arm() */
    _Atomic uint32_t state;         /* enum core_signal_state */
    struct core_signal_entry first; /* mostly the only one; has_first: it is in use */
    bool has_first;
};

/* Makes a signal, which the caller releases. Errors: OUT_OF_HOST_MEMORY. */
int32_t core_signal_create(struct core_context *context, struct core_signal **signal);

/* Makes the descriptor, once the signal is armed: an eventfd, close-on-exec and non-blocking. It is readable
 * if the signal has been raised. call: for the sentence. Errors: OUT_OF_HOST_MEMORY; BACKEND where there are
 * no descriptors left. */
int32_t core_signal_open(struct core_signal *signal, const char *call, int32_t *descriptor);

/* The signal also waits for `value` of a stream, or the stream's failure. The stream is entered or pinned.
 * Before core_signal_arm(). Errors: those of core_notify(). */
int32_t core_signal_add(struct core_signal *signal, struct core_stream *stream, uint64_t value);

/* Whether an operation that was added has not ended. Before core_signal_arm(). */
static inline bool core_signal_is_waiting(const struct core_signal *signal)
{
    return atomic_load_explicit(&signal->pending, memory_order_relaxed) > 1;
}

/* From now on the signal is raised when everything that was added has ended; at once when nothing is left. */
void core_signal_arm(struct core_signal *signal);

/* Makes the descriptor readable, if it was not yet. Threads: any. */
void core_signal_raise(struct core_signal *signal);

void core_signal_retain(struct core_signal *signal);
void core_signal_release(struct core_signal *signal);

#endif
