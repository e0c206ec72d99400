/* cpu backend: the waiters of a stream: parked streams, sleeping threads, notifications.
 *
 * The waiters of a stream are a list sorted by value, under the scheduler's lock. `awaited` of the stream
 * holds the lowest value, so that the thread that completes operations reads one word, and takes the lock
 * only when a waiter is due. A waiter is notified exactly once: it is taken out of the list under the lock,
 * then notified outside of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_NOTIFY_H
#define BACKENDS_CPU_STREAM_NOTIFY_H

#include <trireme/backend.h>

#include <stdatomic.h>
#include <stdbool.h>

enum cpu_waiter_kind {
    CPU_WAITER_STREAM, /* a parked stream */
    CPU_WAITER_THREAD, /* a thread that sleeps on a futex */
    CPU_WAITER_HELPER, /* the same, and ready to run the stream's operations itself */
    CPU_WAITER_CALL,   /* a notification; the waiter is freed after the call */
};

struct cpu_waiter {
    struct cpu_waiter *next, *previous;
    uint64_t value;
    union {
        struct trm_backend_stream *stream;
        _Atomic uint32_t *word; /* a futex that counts notified waiters of the thread; incremented last */
        struct {
            trm_notify_fn function;
            void *user;
        } call;
    };
    uint8_t kind; /* enum cpu_waiter_kind */
    bool is_linked;
    int32_t status; /* for a notification */
};

/* Set in the word of a helper: there may be something to run. */
#define CPU_WAITER_NUDGED (1u << 31)

struct cpu_session;
struct cpu_scheduler;

/* A waiter for a notification, reused where possible. NULL: no memory. */
struct cpu_waiter *cpu_waiter_allocate(struct cpu_scheduler *scheduler);
void cpu_waiter_free(struct cpu_scheduler *scheduler, struct cpu_waiter *waiter);

/* Release the waiters that were kept for reuse. */
void cpu_waiters_free_spare(struct cpu_scheduler *scheduler);

/* Add a waiter. False, and not added, when the value is complete or the stream has failed. */
bool cpu_waiter_add_locked(struct trm_backend_stream *stream, struct cpu_waiter *waiter);

/* Remove a waiter. False when it is being notified. */
bool cpu_waiter_remove_locked(struct trm_backend_stream *stream, struct cpu_waiter *waiter);

/* Wake a helper that waits for the stream, so that it runs the stream itself: this costs one wake-up instead
 * of two. False when there is none. A helper that was nudged and does not help must wake a worker. */
bool cpu_waiter_nudge_locked(struct trm_backend_stream *stream);

/* Owner of the stream: notify all waiters whose value is complete, or all once the stream has failed. Parked
 * streams are claimed and added to the session's ready streams. */
void cpu_waiters_notify(struct cpu_session *session, struct trm_backend_stream *stream);

/* The same in two parts: take them out, in order of value and under the lock, then notify them without it. */
struct cpu_waiter *cpu_waiters_take_due_locked(struct cpu_session *session,
                                               struct trm_backend_stream *stream);
void cpu_waiters_notify_taken(struct cpu_scheduler *scheduler, struct cpu_waiter *waiter);

#endif
