/* Streams: the core's side of an in-order queue.
 *
 * How an operation is enqueued (transfer.c, launch.c and others all do it so):
 *
 *     struct core_stream *stream;
 *     int32_t status = core_stream_begin(handle, &stream);      find, sticky failure, lost device
 *     ... checks ...
 *     uint64_t value = core_stream_next(stream);
 *     status = core_stream_commit(stream, value, ops->copy(stream->backend, value, &desc));
 *     if (status == TRM_OK) {
 *         core_in_flight_add(&buffer->in_flight, stream, value);
 *         core_stream_count(stream, &stream->stats->copies);
 *     }
 *
 * Who may touch `backend`: the thread that enqueues, and whoever has entered the stream by its handle
 * (core_object_enter) or pinned it (core_stream_try_pin). A reference alone keeps the memory of the
 * struct only.
 *
 * A stream's end: drained, then closed (nobody pins it any more), then killed, then retired. So a
 * stream that cannot be pinned has no work left and has run its callbacks.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_STREAM_OBJECT_H
#define CORE_STREAM_STREAM_OBJECT_H

#include <trireme/stream.h>

#include "base/base.h"
#include "core/device/device.h"
#include "core/stream/service.h"

struct core_event;
struct core_gate;
struct core_in_flight;
struct core_kernel;
struct core_pool_stream;
struct core_timestamp;
struct core_watch;

enum core_stream_flags {
    CORE_STREAM_OF_THREAD = 1u << 0, /* a thread's default stream: trm_stream_destroy() refuses it */
    CORE_STREAM_INTERNAL  = 1u << 1, /* the core's own: has no handle that a program could know */
    CORE_STREAM_ENDING    = 1u << 2, /* trm_stream_destroy() was called inside its own callback */
    CORE_STREAM_RECORDING = 1u << 3, /* a graph's: see core_stream_create_recording() */

    /* Streams that belong to their device (or to a graph, which keeps it alive) instead of keeping it alive. */
    CORE_STREAM_OWNED = CORE_STREAM_OF_THREAD | CORE_STREAM_INTERNAL | CORE_STREAM_RECORDING,
};

struct core_stream {
    struct core_object object;
    struct core_device *device;       /* not to be touched once an OWNED stream has been retired */
    const struct trm_stream_ops *ops; /* device->backend->stream; a recording stream: recorder_ops->stream */
    struct trm_backend_stream *backend;  /* NULL once retired; then `completed` is UINT64_MAX */
    struct core_stream *next, *previous; /* device->streams; under device->lock */

    /* number of the last operation; written by the enqueuing thread only */
    _Atomic uint64_t enqueued;
    struct base_lock in_flight_lock; /* core/stream/in_flight.h: its places in what sets of uses there are */
    uint64_t marked;                 /* the last number given to ops->mark(); the enqueuing thread's */
    _Atomic uint64_t completed;      /* the highest number known to be complete; only grows */
    _Atomic uint64_t flushed;        /* the highest number known to be submitted; only grows */

    /* The first cause, NULL while there is none; set once. A static stand-in when memory had run
     * out; then failure_status is all that is known. */
    _Atomic(const struct base_failure *) failure;
    _Atomic int32_t failure_status;
    /* The core let it fail, for another's sake, behind this operation: what came up to it is not concerned. UINT64_MAX: no. */
    _Atomic uint64_t cut;

    _Atomic uint32_t flags; /* enum core_stream_flags */
    /* Pins (gates, callbacks, notifications, waits by reference), and bits for the end; a futex.
     * See core/stream/stream_state.c. */
    _Atomic uint32_t pins;
    uint32_t opening;                    /* 1: a service thread goes through `gates`; under device->lock */
    struct core_gate *gates, *last_gate; /* not yet opened, oldest first; under device->lock */
    struct core_gate *spare_gates;       /* gates.c: to be used again; under device->lock */
    uint32_t spare_gate_count;
    struct core_watch *watch; /* notify.c: emulated notifications; under device->lock */
    /* event_time.c: emulated stamps without a time yet, oldest first; under device->lock */
    struct core_timestamp *stamps, *last_stamp;
    /* pool.c: what was freed in this stream's order; NULL until then */
    struct core_pool_stream *pool;
    /* core/module/module.c: the module launched from last (by its handle, which is never given twice), and
     * where that is noted; the enqueuing thread's. */
    const void *launched;
    _Atomic uint64_t *launched_note;
    struct core_job ending;                       /* ends the stream later; see CORE_STREAM_ENDING */
    struct trm_stream_stats *stats;               /* never NULL; written by the enqueuing thread only */
    const struct core_recorder_ops *recorder_ops; /* of a recording stream; else NULL */
};

static inline struct core_stream *core_stream_find(struct trm_stream *handle)
{
    return core_object_find(handle, CORE_STREAM);
}

/* Make a stream; its handle's reference belongs to the caller. */
int32_t core_stream_create(struct core_device *device, int32_t role, int32_t priority, uint32_t flags,
                           struct core_stream **stream);

/* A stream on top of an application's own; type: enum trm_native_type. The backend can do that. */
int32_t core_stream_create_adopted(struct core_device *device, int32_t type, uint64_t native,
                                   struct core_stream **stream);

/* How a stream records into a graph; the graph room supplies the table. */
struct core_recorder_ops {
    struct trm_stream_ops stream; /* instead of the backend's: note each operation */
    /* The last operation uses the buffer that has this set, or the kernel. */
    void (*add_buffer)(struct core_stream *stream, struct core_in_flight *in_flight);
    void (*add_kernel)(struct core_stream *stream, struct core_kernel *kernel);
    /* What trm_event_record() does on this stream. */
    int32_t (*add_event)(struct core_stream *stream, struct core_event *event);
};

/* A stream on which nothing runs: `ops` note what is enqueued, and get `recorder` instead of a backend's
 * stream. The caller owns the stream and ends it before the recorder and the device go. Its work always
 * counts as complete; a program that waits for it gets BUSY. */
struct core_recorder;
int32_t core_stream_create_recording(struct core_device *device, const struct core_recorder_ops *ops,
                                     struct core_recorder *recorder, struct core_stream **stream);

/* The same without a handle, in zeroed memory, for a single call. There is nothing to end. */
void core_stream_init_recording(struct core_stream *stream, struct core_device *device,
                                const struct core_recorder_ops *ops, struct core_recorder *recorder,
                                struct trm_stream_stats *stats);

static inline int32_t core_stream_is_recording(const struct core_stream *stream)
{
    return (atomic_load_explicit(&stream->flags, memory_order_relaxed) & CORE_STREAM_RECORDING) != 0;
}

/* Drain and kill: what trm_stream_destroy() does. The caller holds a reference. */
void core_stream_end(struct core_stream *stream);

/* The stream behind a handle, ready to be enqueued on; else its first failure. Written in any case. */
int32_t core_stream_begin(struct trm_stream *handle, struct core_stream **stream);

/* The same for `what` (for the sentence) cannot be recorded: UNSUPPORTED on a stream that records. */
int32_t core_stream_begin_live(struct trm_stream *handle, const char *what, struct core_stream **stream);

/* For waiting: BUSY on a stream that records. */
int32_t core_stream_check_live(const struct core_stream *stream);

static inline uint64_t core_stream_next(const struct core_stream *stream)
{
    return atomic_load_explicit(&stream->enqueued, memory_order_relaxed) + 1;
}

/* Takes note of how the backend answered: TRM_OK makes `value` the last number; a failure that
 * is the stream's or the device's for ever is kept. Returns the status to hand on. */
int32_t core_stream_commit_slow(struct core_stream *stream, int32_t status);
static inline int32_t core_stream_commit(struct core_stream *stream, uint64_t value, int32_t status)
{
    if (__builtin_expect(status != TRM_OK, 0))
        return core_stream_commit_slow(stream, status);
    atomic_store_explicit(&stream->enqueued, value, memory_order_release);
    return TRM_OK;
}

/* Statistics: written by the enqueuing thread, read by any. Adds to one of stream->stats' counters. Who
 * reads backwards never sees more of a kind than there are operations. */
static inline void core_stream_add(uint64_t *counter, uint64_t amount)
{
    __atomic_store_n(counter, *counter + amount, __ATOMIC_RELEASE);
}

/* One operation more, of the kind that `counter` counts (NULL: of none that is counted by itself). */
static inline void core_stream_count(struct core_stream *stream, uint64_t *counter)
{
    core_stream_add(&stream->stats->operations, 1);
    if (counter != NULL)
        core_stream_add(counter, 1);
}

/* Make the place after everything enqueued so far one that can be waited for precisely. The
 * enqueuing thread. */
int32_t core_stream_mark(struct core_stream *stream, uint64_t *value);

/* Is `value` complete? TRM_OK, TIMEOUT, or the stream's first failure (raised). Submits, does not
 * block; any thread; the caller holds a reference. */
int32_t core_stream_query(struct core_stream *stream, uint64_t value);

/* Has all work up to `value` ended, well or badly, so that memory it used may be reused? Sets no
 * error. */
int32_t core_stream_has_finished(struct core_stream *stream, uint64_t value);

/* Wait for it. Blocks; any thread; the caller holds a reference. */
int32_t core_stream_wait_value(struct core_stream *stream, uint64_t value, uint64_t timeout_ns);

/* Wait until core_stream_has_finished(). TRM_OK, TIMEOUT or DEADLOCK. */
int32_t core_stream_wait_finished(struct core_stream *stream, uint64_t value, uint64_t timeout_ns);

/* Submit everything up to `value`. The caller keeps the backend's part in place. */
int32_t core_stream_submit(struct core_stream *stream, uint64_t value);

/* Let `stream` wait for `value` of `other` on the device (natively, by a gate, or on the host). The
 * caller holds a reference of `other` and enqueues on `stream`. */
int32_t core_stream_wait_other(struct core_stream *stream, struct core_stream *other, uint64_t value);

/* core_stream_check() of a stream that has failed, or lost its device. */
int32_t core_stream_raise(struct core_stream *stream) __attribute__((cold));

/* Raise the stream's first failure, or the loss of its device; TRM_OK if it has none. The caller
 * has found or entered the stream. */
static inline int32_t core_stream_check(struct core_stream *stream)
{
    if (__builtin_expect(atomic_load_explicit(&stream->failure, memory_order_acquire) == NULL &&
                             atomic_load_explicit(&stream->device->lost, memory_order_acquire) == 0,
                         1))
        return TRM_OK;
    return core_stream_raise(stream);
}

/* The same for one who holds a reference only. */
int32_t core_stream_check_failure(const struct core_stream *stream);

/* Keep `status` (just set as last error) as the stream's first failure, if it has none yet. */
void core_stream_set_failure(struct core_stream *stream, int32_t status);

/* The same where it is the core that lets the stream fail: everything behind operation `last`. */
void core_stream_fail_after(struct core_stream *stream, uint64_t last, int32_t status);

/* Had everything up to `value` ended well, although the stream has failed since? For work that has ended; waits for
 * the backend where only the core knows of the failure. 0 where that cannot be told. The caller holds a reference. */
int32_t core_stream_has_succeeded(struct core_stream *stream, uint64_t value);

/* Frees what was kept; when nobody has a reference any more. */
void core_stream_free_failure(struct core_stream *stream);

/* The status of the first failure, without raising it; TRM_OK if there is none. */
int32_t core_stream_failure_status(const struct core_stream *stream);

/* Keep the backend's part in place. 0: the stream has been closed, all its work has ended. Unlike
 * entering, giving a pin back never ends anything in the calling thread: it may be done under
 * locks and on a backend's thread. The caller holds a reference or knows by other means that the
 * struct lives; core_stream_unpin() is the last thing to touch it. */
int32_t core_stream_try_pin(struct core_stream *stream);
void core_stream_pin(struct core_stream *stream); /* by one who has a pin, or enqueues */
void core_stream_unpin(struct core_stream *stream, uint32_t count);

/* Submit, and wait until everything has ended and nobody pins the stream. */
void core_stream_close(struct core_stream *stream);

/* Waiting and asking for one who keeps the backend's part in place. */
int32_t core_stream_wait_pinned(struct core_stream *stream, uint64_t value, uint64_t timeout_ns);
int32_t core_stream_query_pinned(struct core_stream *stream, uint64_t value);

/* The stream of a point, entered: for waits by point. Leave with core_object_leave(). NULL after
 * setting the last error: INVALID_HANDLE, OUT_OF_RANGE. */
struct core_stream *core_point_enter(struct trm_point point);

#endif
