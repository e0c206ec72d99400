/* cpu backend: who wants to know that a stream has got somewhere: parked streams, sleeping threads,
 * notifications.
 *
 * The watches of a stream are a list sorted by value, under the pool's lock. `watched` holds the lowest
 * value, so that whoever completes operations looks at one word and takes the lock only when somebody
 * is to be told. A watch is told exactly once: taken out of the list under the lock, then told outside
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_NOTIFY_H
#define BACKENDS_CPU_STREAM_NOTIFY_H

#include <trireme/backend.h>

#include <stdatomic.h>
#include <stdbool.h>

enum cpu_watch_kind {
    CPU_WATCH_STREAM, /* a parked stream */
    CPU_WATCH_THREAD, /* a thread asleep on a word */
    CPU_WATCH_HELPER, /* the same, and ready to run the stream's operations itself */
    CPU_WATCH_CALL,   /* a notification; the watch is released after the call */
};

struct cpu_watch {
    struct cpu_watch *next, *previous;
    uint64_t value;
    union {
        struct trm_backend_stream *stream;
        _Atomic uint32_t
            *word; /* counts the watches of this thread that were told; the last touch of the watch */
        struct {
            trm_notify_fn function;
            void *user;
        } call;
    };
    uint8_t kind;
    bool linked;
    int32_t status; /* what a notification is told */
};

/* In the word of a helper: look again, there may be something to run. */
#define CPU_WATCH_NUDGED (1u << 31)

struct cpu_session;
struct trm_backend_instance;

/* Memory for a notification's watch: one that was used before, if there is one. NULL: none. */
struct cpu_watch *cpu_watch_take(struct trm_backend_instance *instance);
void cpu_watch_give(struct trm_backend_instance *instance, struct cpu_watch *watch);

/* When the instance ends. */
void cpu_watch_free_spare(struct trm_backend_instance *instance);

/* Add a watch. False when the value is complete already or the stream has failed: then it was not
 * added. */
bool cpu_watch_add_locked(struct trm_backend_stream *stream, struct cpu_watch *watch);

/* Take a watch out. False when it is being told. */
bool cpu_watch_remove_locked(struct trm_backend_stream *stream, struct cpu_watch *watch);

/* Wake a thread that waits for the stream, so that it runs the stream itself: one wake instead of a
 * worker's and then its own. False when there is none. Whoever was nudged and does not help has to
 * rouse a worker. */
bool cpu_watch_nudge_locked(struct trm_backend_stream *stream);

/* Owner of the stream: tell everybody whose value is complete, or everybody once it failed. Parked
 * streams become the session's, claimed. */
void cpu_watch_fire(struct cpu_session *session, struct trm_backend_stream *stream);

#endif
