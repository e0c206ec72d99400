/* A stream: the core's side of an in-order queue.
 *
 * How an operation is enqueued (transfer.c, launch.c and others all do it so):
 *
 *     struct core_stream *stream;
 *     int32_t status = core_stream_begin(handle, &stream);      find, first failure, lost device
 *     ... checks ...
 *     uint64_t value = core_stream_next(stream);
 *     status = core_stream_commit(stream, value, "stream.copy", ops->copy(stream->backend, value, &desc));
 *     if (status == TRM_OK) {
 *         core_in_flight_add(&buffer->in_flight, stream, value);
 *         core_stream_count(stream, &stream->stats->copies);
 *     }
 *
 * `backend` may be touched by the thread that enqueues, and by a thread that has entered the stream through
 * its handle (core_object_enter) or has pinned it (core_stream_try_pin). A reference alone keeps only the
 * memory of the struct.
 *
 * A stream ends in four steps: it is drained, closed (the last pin is gone, and new ones are refused),
 * killed, retired. So a stream that cannot be pinned has no work left and has run its callbacks.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_STREAM_OBJECT_H
#define CORE_STREAM_STREAM_OBJECT_H

#include <stdbool.h>
#include <trireme/profile.h>
#include <trireme/stream.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/service.h"

struct core_event;
struct core_gate;
struct core_in_flight;
struct core_kernel;
struct core_pool_stream;
struct core_stream_profile;

/* Bytes of a stream's name, with the zero. */
#define CORE_STREAM_NAME 32
struct core_timestamp;
struct core_watch;

enum core_stream_flags {
    CORE_STREAM_OF_THREAD = 1u << 0, /* a thread's default stream: trm_stream_destroy() refuses it */
    CORE_STREAM_INTERNAL  = 1u << 1, /* the core's own: no program knows its handle */
    CORE_STREAM_ENDING    = 1u << 2, /* trm_stream_destroy() was called inside its own callback */
    CORE_STREAM_RECORDING = 1u << 3, /* a graph's: see core_stream_create_recording() */
    CORE_STREAM_OF_POOL   = 1u << 4, /* a stream pool's: trm_stream_destroy() refuses it */
    CORE_STREAM_OF_TASKS  = 1u << 5, /* with INTERNAL: of a coordinator, whose tasks are the program's */

    /* Streams that belong to their device (or to a graph, which keeps it alive); they do not keep it
     * alive. */
    CORE_STREAM_OWNED = CORE_STREAM_OF_THREAD | CORE_STREAM_INTERNAL | CORE_STREAM_RECORDING,
};

/* What is done with every operation behind core_stream_commit_work(); bits of core_stream.observed. */
enum core_stream_observers {
    CORE_STREAM_SERIAL   = 1 << 0, /* it is waited for: the setting stream.serial */
    CORE_STREAM_PROFILED = 1 << 1, /* it is counted and timed; profile.c */
};

/* What an operation does. */
enum core_work_kind {
    CORE_WORK_UPLOAD,
    CORE_WORK_DOWNLOAD,
    CORE_WORK_COPY, /* on the device, or to another device */
    CORE_WORK_FILL,
    CORE_WORK_LAUNCH,
    CORE_WORK_GRAPH,
    CORE_WORK_WAIT, /* for another stream, the host or a callback: its end may need the calling thread */
    CORE_WORK_KINDS,
};

/* What a wait is for; numbers of objects, as in the log. */
struct core_wait {
    int32_t kind;    /* enum trm_profile_wait_kind */
    uint32_t stream; /* whose point it is; 0: unknown */
    uint32_t event;  /* 0: none */
};

struct core_work {
    enum core_work_kind kind;
    uint64_t bytes;
    const char *kernel;    /* of a launch: its name; else NULL */
    const void *handle;    /* of the kernel: no other kernel ever has it */
    struct core_wait wait; /* of a wait */
};

/* "The enqueuing thread's" fields are touched by the thread that enqueues alone. */
struct core_stream {
    struct core_object object;
    struct core_device *device; /* not to be touched once an OWNED stream is retired */
    /* device->backend->stream or resident_stream; when recording: recorder_ops->stream */
    const struct trm_stream_ops *ops;
    struct trm_backend_stream *backend;  /* NULL once retired; then `completed` is UINT64_MAX */
    struct core_stream *next, *previous; /* device->streams; under device->lock */

    _Atomic uint64_t enqueued; /* the last operation; written by the enqueuing thread alone */
    _Atomic int32_t observed;  /* enum core_stream_observers; observe.c */
    uint32_t range_depth;      /* range.c: how many are open; the enqueuing thread's */
    uint64_t last_wait;        /* the last operation that waits, while observed; the enqueuing thread's */
    struct base_lock in_flight_lock; /* guards this stream's slots in all sets; see in_flight.h */
    uint32_t range_count;            /* how many were begun; the enqueuing thread's */
    uint64_t marked;                 /* the last operation given to ops->mark(); the enqueuing thread's */
    _Atomic uint64_t completed;      /* the highest operation known to be complete; only grows */
    _Atomic uint64_t flushed;        /* the highest operation known to be submitted; only grows */

    /* The first failure; NULL while there is none; set once. A static stand-in when it was out of memory;
     * then failure_status is all that is known. */
    _Atomic(const struct base_failure *) failure;
    _Atomic int32_t failure_status;
    /* core_stream_hold(): how often, and a bit for when the program has destroyed its handle. */
    _Atomic uint32_t holders;
    /* The core failed the stream behind this operation, because a stream that it waits for failed; operations
     * up to it are not affected. UINT64_MAX: the core did not fail it. */
    _Atomic uint64_t failed_after;

    _Atomic uint32_t flags; /* enum core_stream_flags */
    /* Pins (of gates, callbacks, notifications, waits by reference), and bits for the end; a futex. See
     * stream_state.c. */
    _Atomic uint32_t pins;

    /* gates.c; all under device->lock. */
    struct core_gate *gates, *last_gate; /* not yet open, oldest first */
    struct core_gate *spare_gates;       /* for reuse */
    uint32_t spare_gate_count;
    bool is_opening_gates; /* a service thread is walking `gates` */
    bool has_static_name;  /* under device->lock */

    struct core_watch *watch; /* notify.c: emulated notifications; under device->lock */
    /* core/event/event_time.c: emulated timestamps that have no time yet, oldest first; under device->lock */
    struct core_timestamp *timestamps, *last_timestamp;
    struct core_pool_stream *pool; /* core/memory/pool_stream.c: freed in this stream's order; may be NULL */
    /* core/module/module_launches.c: the handle (which is never reused) of the module launched from last, and
     * where to note the launch; the enqueuing thread's. */
    union {
        const void *last_module;
        struct trm_stream *last_hold; /* stream_hold.c: what `ending` lets go; nothing is enqueued any more */
    };
    _Atomic uint64_t *last_launch;
    struct core_job ending;                        /* ends the stream later; see CORE_STREAM_ENDING */
    _Atomic(struct core_stream_profile *) profile; /* profile.c; NULL: never profiled */
    const char *name;                              /* NULL: it has none; under device->lock */
    struct trm_stream_stats *stats;                /* never NULL; written by the enqueuing thread alone */
    struct trm_stream_stats *reset_at;             /* what they were then; NULL: never; under device->lock */
    const struct core_recorder_ops *recorder_ops;  /* of a recording stream; else NULL */
};

/* Whether the stream does only what the core needs inside of calls. Profiles leave it out. */
static inline bool core_stream_is_hidden(uint32_t flags)
{
    return (flags & (CORE_STREAM_INTERNAL | CORE_STREAM_OF_TASKS)) == CORE_STREAM_INTERNAL;
}

static inline struct core_stream *core_stream_find(struct trm_stream *handle)
{
    return core_object_find(handle, CORE_STREAM);
}

/* ---- life (stream.c) ------------------------------------------------------------------------------- */

/* Creates a stream, which the caller publishes; its handle's reference belongs to the caller. */
int32_t core_stream_create(struct core_device *device, int32_t role, int32_t priority, uint32_t flags,
                           struct core_stream **stream);

/* Whether the device's backend has streams whose graphs run in kernels that stay on the device. */
static inline bool core_device_has_residents(const struct core_device *device)
{
    return device->backend->resident_stream.create != NULL;
}

static inline bool core_stream_is_resident(const struct core_stream *stream)
{
    return stream->ops == &stream->device->backend->resident_stream;
}

/* Whether the backend's tables beside that of streams take its part of the stream: not that of a kind of its
 * own. */
static inline bool core_stream_is_ordinary(const struct core_stream *stream)
{
    return stream->ops->create == stream->device->backend->stream.create;
}

/* Creates such a stream, on which resident graphs alone can be enqueued (core/graph/create.h). Errors:
 * UNSUPPORTED. */
int32_t core_stream_create_resident(struct core_device *device, struct core_stream **stream);

/* When the operation `value` of such a stream began and ended on the device, in nanoseconds of the host's
 * clock; it is complete and the stream's last. Errors: UNSUPPORTED where the backend does not tell. */
int32_t core_stream_resident_times(struct core_stream *stream, uint64_t value, uint64_t *begin,
                                   uint64_t *end);

/* The same on top of an application's own; type: enum trm_native_type. The backend must have
 * stream_adopt(). */
int32_t core_stream_create_adopted(struct core_device *device, int32_t type, uint64_t native,
                                   struct core_stream **stream);

/* How a stream records into a graph; the graph room supplies the table. */
struct core_recorder_ops {
    struct trm_stream_ops stream; /* instead of the backend's: note each operation */
    struct trm_image_ops image;   /* the same; only copy and transfer are set */
    /* The last operation uses the owner of this set, or the kernel. */
    void (*add_use)(struct core_stream *stream, struct core_in_flight *in_flight);
    void (*add_kernel)(struct core_stream *stream, struct core_kernel *kernel);
    /* The next operation uses so many sets more than it has arguments. */
    void (*expect_uses)(struct core_stream *stream, uint32_t more);
    /* What trm_event_record() does on this stream. */
    int32_t (*add_event)(struct core_stream *stream, struct core_event *event);
};

/* Creates a stream on which nothing runs: `ops` note what is enqueued, and get `recorder` instead of a
 * backend's stream. The caller owns the stream and ends it before the recorder and the device go. Its work
 * always counts as complete; a program that waits for it gets BUSY. */
struct core_recorder;
int32_t core_stream_create_recording(struct core_device *device, const struct core_recorder_ops *ops,
                                     struct core_recorder *recorder, struct core_stream **stream);

/* The same without a handle, in zeroed memory, for a single call. There is nothing to end. */
void core_stream_init_recording(struct core_stream *stream, struct core_device *device,
                                const struct core_recorder_ops *ops, struct core_recorder *recorder,
                                struct trm_stream_stats *stats);

static inline bool core_stream_is_recording(const struct core_stream *stream)
{
    return (atomic_load_explicit(&stream->flags, memory_order_relaxed) & CORE_STREAM_RECORDING) != 0;
}

/* Drains and kills the stream: what trm_stream_destroy() does. The caller has entered the stream, or no other
 * thread can end it meanwhile. */
void core_stream_end(struct core_stream *stream);

/* Runs a job with stream->ending on the service thread, which is the calling thread. The job releases the
 * stream and its device. */
void core_stream_post(struct core_stream *stream, void (*run)(struct core_job *job));

/* ---- holds (stream_hold.c) --------------------------------------------------------------------------- */

/* What trm_stream_destroy() does. The last hold ends a stream that is held. */
void core_stream_end_or_let_go(struct core_stream *stream);

/* Holds a stream of the program's for as long as what enqueues on it needs it: trm_stream_destroy() then
 * kills the program's handle only, and core_stream_end_hold() with the last hold drains and ends the stream.
 * Errors: those of core_object_hold(); UNSUPPORTED for a stream that ends by itself, or that records. */
int32_t core_stream_hold(struct trm_stream *handle, struct trm_stream **held);
/* NULL is fine. In a callback of the stream, that ends after the callback. */
void core_stream_end_hold(struct trm_stream *held);

/* ---- names (stream_name.c) ------------------------------------------------------------------------- */

/* For the library's own streams: the name is a literal. No other thread knows the stream yet. */
void core_stream_set_static_name(struct core_stream *stream, const char *name);
/* The caller holds a reference. */
void core_stream_copy_name(struct core_stream *stream, char name[CORE_STREAM_NAME]);
void core_stream_free_name(struct core_stream *stream);

/* ---- enqueueing (stream.c) ------------------------------------------------------------------------- */

/* Finds the stream behind a handle, ready to be enqueued on; or raises its first failure. `*stream` is
 * written in any case. */
int32_t core_stream_begin(struct trm_stream *handle, struct core_stream **stream);

/* The same for an operation that cannot be recorded: UNSUPPORTED on a recording stream, naming `what`. */
int32_t core_stream_begin_live(struct trm_stream *handle, const char *what, struct core_stream **stream);

/* For waiting: BUSY on a recording stream. */
int32_t core_stream_check_live(const struct core_stream *stream);

/* The number of the operation that is enqueued next. */
static inline uint64_t core_stream_next(const struct core_stream *stream)
{
    return atomic_load_explicit(&stream->enqueued, memory_order_relaxed) + 1;
}

/* Takes the answer of the backend's function `slot` to an operation: TRM_OK makes `value` the last operation;
 * a permanent failure of the stream or the device is kept. Returns the status for the caller to return: of
 * the table in any case, and never TIMEOUT, which says "not yet" to a program and its pipeline. */
int32_t core_stream_commit_slow(struct core_stream *stream, const char *slot, int32_t answer);
static inline int32_t core_stream_commit(struct core_stream *stream, uint64_t value, const char *slot,
                                         int32_t answer)
{
    if (UNLIKELY(answer != TRM_OK))
        return core_stream_commit_slow(stream, slot, answer);
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    return TRM_OK;
}

/* The same for an operation that observers see. Costs an instruction more while there are none. What is to
 * be done for observers is behind calls that take everything in registers. (core/module/kernel.h has the one
 * for launches.) */
int32_t core_stream_commit_observed(struct core_stream *stream, uint64_t value, const char *slot,
                                    int32_t answer, const struct core_work *work);
int32_t core_stream_commit_observed_work(struct core_stream *stream, uint64_t value, const char *slot,
                                         int32_t answer, enum core_work_kind kind, uint64_t bytes);
int32_t core_stream_commit_observed_wait(struct core_stream *stream, uint64_t value, const char *slot,
                                         int32_t answer, struct core_wait wait);

/* Whether the backend took the operation, and there are none. */
static inline bool core_stream_is_unobserved(const struct core_stream *stream, int32_t answer)
{
    return LIKELY((answer | atomic_load_explicit(&stream->observed, memory_order_relaxed)) == TRM_OK);
}

static inline int32_t core_stream_commit_work(struct core_stream *stream, uint64_t value, const char *slot,
                                              int32_t answer, enum core_work_kind kind, uint64_t bytes)
{
    if (!core_stream_is_unobserved(stream, answer))
        return core_stream_commit_observed_work(stream, value, slot, answer, kind, bytes);
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    return TRM_OK;
}

/* The same for a wait. */
static inline int32_t core_stream_commit_wait(struct core_stream *stream, uint64_t value, const char *slot,
                                              int32_t answer, struct core_wait wait)
{
    if (!core_stream_is_unobserved(stream, answer))
        return core_stream_commit_observed_wait(stream, value, slot, answer, wait);
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    return TRM_OK;
}

/* While stream->observed: waits for callback `value`, if the calling thread can. */
void core_stream_observe_callback(struct core_stream *stream, uint64_t value);

/* Adds to one of stream->stats' counters. The enqueuing thread writes them, any thread reads them: one that
 * reads them from last to first never sees more operations of a kind than operations. */
static inline void core_stream_add(uint64_t *counter, uint64_t amount)
{
    __atomic_store_n(counter, *counter + amount, __ATOMIC_RELEASE);
}

/* Counts one operation, and one of the kind that `counter` counts (NULL: of none). */
static inline void core_stream_count(struct core_stream *stream, uint64_t *counter)
{
    core_stream_add(&stream->stats->operations, 1);
    if (counter != NULL)
        core_stream_add(counter, 1);
}

/* Makes the point after all operations enqueued so far one that can be waited for precisely. Called by the
 * enqueuing thread. */
int32_t core_stream_mark(struct core_stream *stream, uint64_t *value);

/* ---- progress (stream_state.c, stream_wait.c) ------------------------------------------------------ */

/* Asks the backend how far the stream is. After a failure `completed` is written where the backend tells. The
 * caller has entered or pinned the stream. */
int32_t core_stream_ask(struct core_stream *stream, uint64_t *completed);

/* TRM_OK if `value` is complete, else TIMEOUT, or the stream's first failure (raised). Submits; does not
 * block; any thread. The caller holds a reference. */
int32_t core_stream_query(struct core_stream *stream, uint64_t value);

/* True if all work up to `value` has ended, well or badly, so that memory it used may be reused. Sets no
 * error. */
bool core_stream_has_finished(struct core_stream *stream, uint64_t value);

/* True if all work up to `value` ended well, even if the stream has failed since. For work that has ended;
 * waits for the backend where only the core knows of the failure. False where that cannot be told. The caller
 * holds a reference. */
bool core_stream_has_succeeded(struct core_stream *stream, uint64_t value);

/* Waits until core_stream_query() would not answer TIMEOUT. Any thread; the caller holds a reference. */
int32_t core_stream_wait_value(struct core_stream *stream, uint64_t value, uint64_t timeout_ns);

/* Waits until core_stream_has_finished(). TRM_OK, TIMEOUT or DEADLOCK. */
int32_t core_stream_wait_finished(struct core_stream *stream, uint64_t value, uint64_t timeout_ns);

/* The same as core_stream_query() and core_stream_wait_value() for a caller that has entered or pinned the
 * stream. */
int32_t core_stream_query_pinned(struct core_stream *stream, uint64_t value);
int32_t core_stream_wait_pinned(struct core_stream *stream, uint64_t value, uint64_t timeout_ns);

/* Submits everything up to `value`. The caller has entered or pinned the stream. */
int32_t core_stream_submit(struct core_stream *stream, uint64_t value);

/* Lets `stream` wait for `value` of `other` on the device (natively, by a gate, or on the host). The caller
 * holds a reference of `other` and enqueues on `stream`. */
int32_t core_stream_wait_other(struct core_stream *stream, struct core_stream *other, uint64_t value);

/* INVALID_ARGUMENT for streams of two contexts, which cannot wait for each other. */
int32_t core_stream_check_context(const struct core_stream *stream, const struct core_stream *other);

/* The same for the point that event number `event` holds; 0: no event. */
int32_t core_stream_wait_event(struct core_stream *stream, struct core_stream *other, uint64_t value,
                               uint32_t event);

/* ---- the first failure (stream_state.c) ------------------------------------------------------------ */

/* core_stream_check() of a stream that has failed, or lost its device. */
int32_t core_stream_raise(struct core_stream *stream) __attribute__((cold));

/* The same for a call that enqueues: its sentence says that the stream failed before the call. */
int32_t core_stream_raise_earlier(struct core_stream *stream) __attribute__((cold));

/* Whether the stream has neither failed nor lost its device. */
static inline bool core_stream_is_sound(struct core_stream *stream)
{
    return LIKELY(atomic_load_explicit(&stream->failure, memory_order_acquire) == NULL &&
                  !core_device_is_lost(stream->device));
}

/* The same, and no profile times what the program enqueues: a call that enqueues has nothing to look at
 * before it calls the backend. */
static inline bool core_stream_is_quiet(const struct core_stream *stream)
{
    const uint32_t before = CORE_DEVICE_LOST | CORE_DEVICE_TIMED;
    return LIKELY(atomic_load_explicit(&stream->failure, memory_order_acquire) == NULL &&
                  (atomic_load_explicit(&stream->device->attention, memory_order_acquire) & before) == 0);
}

/* Raises the stream's first failure, or the loss of its device; TRM_OK if it has none. The caller has found
 * or entered the stream. */
static inline int32_t core_stream_check(struct core_stream *stream)
{
    return core_stream_is_sound(stream) ? TRM_OK : core_stream_raise(stream);
}

/* Raises the stream's first failure, for a caller that holds a reference only. */
int32_t core_stream_check_failure(const struct core_stream *stream);

/* The status of the first failure, without raising it; TRM_OK if there is none. */
int32_t core_stream_failure_status(const struct core_stream *stream);

/* Keeps `status`, which the last error explains, as the stream's first failure, if it has none yet. */
void core_stream_set_failure(struct core_stream *stream, int32_t status);

/* The same where the core fails the stream: everything behind operation `last`. */
void core_stream_fail_after(struct core_stream *stream, uint64_t last, int32_t status);

/* Frees the failure; called when the last reference is released. */
void core_stream_free_failure(struct core_stream *stream);

/* ---- pins (stream_state.c) ------------------------------------------------------------------------- */

/* Pins the stream: its backend's part stays. False if the stream is closed; then all its work has ended.
 * Unlike leaving an entered stream, unpinning never ends anything in the calling thread, so it may be done
 * under locks and on a backend's thread. The caller holds a reference or knows by other means that the struct
 * lives; core_stream_unpin() is the last thing to touch it. */
bool core_stream_try_pin(struct core_stream *stream);
/* For a caller that has a pin already, or enqueues. */
void core_stream_pin(struct core_stream *stream);
void core_stream_unpin(struct core_stream *stream, uint32_t count);

/* Submits, and waits until all work has ended and the last pin is gone. */
void core_stream_close(struct core_stream *stream);

/* The stream of a point, entered: for waits by point. Leave it with core_object_leave(). NULL after setting
 * the last error: INVALID_HANDLE, OUT_OF_RANGE, BUSY. */
struct core_stream *core_point_enter(struct trm_point point);

#endif
