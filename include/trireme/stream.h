/* Trireme: streams, in-order queues of a device.
 *
 * A stream is serialised by its caller: one thread at a time may enqueue on it. Waiting for its
 * points, and asking for its state, is free to any thread. Enqueueing is cheap and batches: work
 * starts at the latest when somebody waits or polls for it, at trm_stream_flush(), or when the
 * batch is full.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_STREAM_H
#define TRIREME_STREAM_H

#include <trireme/api.h>
#include <trireme/event.h>
#include <trireme/point.h>

TRM_API_BEGIN

/* What a stream is mostly for: a hint that picks the queue (a GPU's copy engines, its compute
 * queues). Any operation is legal on any stream. A backend takes a role that it does not know for ANY. */
enum trm_stream_role {
    TRM_STREAM_ANY      = 0,
    TRM_STREAM_COMPUTE  = 1,
    TRM_STREAM_UPLOAD   = 2,
    TRM_STREAM_DOWNLOAD = 3,
    /* One of a few that take turns at the same work, short and of all kinds, as the slots of a pipeline do: they may share a queue
     * where that is quicker than changing between several. */
    TRM_STREAM_SLOT = 4,
};

enum trm_priority {
    TRM_PRIORITY_LOW    = -1,
    TRM_PRIORITY_NORMAL = 0,
    TRM_PRIORITY_HIGH   = 1,
};

/* Make a stream.
 *
 * role        enum trm_stream_role       priority  enum trm_priority, rounded to what the device
 *             has
 * Ownership   keeps the device alive; trm_stream_destroy() ends it
 */
TRM_API int32_t trm_stream_create(struct trm_device *device, int32_t role, int32_t priority,
                                  struct trm_stream **stream);

/* Drain the stream, then end it. Callbacks that were enqueued have run when this returns.
 * Blocks      until its work is done        NULL is fine        Inside one of its own callbacks:
 *             ends it later */
TRM_API void trm_stream_destroy(struct trm_stream *stream);

/* The calling thread's own stream of a device, made at its first use. It belongs to the thread:
 * it is ended when the thread or the device ends, and trm_stream_destroy() refuses it. */
TRM_API int32_t trm_device_thread_stream(struct trm_device *device, struct trm_stream **stream);

/* The device of a stream: one more reference to its handle, to be ended with trm_device_destroy().
 * INVALID_HANDLE when the program has let go of the device, which the stream then keeps alive
 * without a handle. */
TRM_API int32_t trm_stream_device(struct trm_stream *stream, struct trm_device **device);

/* Name the place after everything enqueued so far. Costs about a nanosecond, or, where the driver tells places by events, one of
 * those (0.2 µs and more). */
TRM_API int32_t trm_stream_mark(struct trm_stream *stream, struct trm_point *point);

/* Let the stream wait, on the device, until `point` is reached; the host does not wait. Points
 * of another backend, or where the backend cannot, are bridged by a thread of the core. If the
 * point's stream fails, so does this one, with the same cause. */
TRM_API int32_t trm_stream_wait(struct trm_stream *stream, struct trm_point point);

/* The same for the point that an event holds now. An event that was never recorded counts as
 * reached. */
TRM_API int32_t trm_stream_wait_event(struct trm_stream *stream, struct trm_event *event);

/* Submit what was enqueued. */
TRM_API int32_t trm_stream_flush(struct trm_stream *stream);

/* Wait for everything enqueued so far. Blocks. Errors: the stream's first failure. */
TRM_API int32_t trm_stream_sync(struct trm_stream *stream);

/* TRM_OK when nothing is left to do, TRM_ERROR_TIMEOUT when there is, else the stream's first
 * failure. */
TRM_API int32_t trm_stream_query(struct trm_stream *stream);

/* Runs on a thread of the core when the stream gets there; what is enqueued after it waits until
 * it returns. `status` is TRM_OK, or the failure that the stream has had. It may call any
 * function of Trireme. Waiting in it for its own stream to get past it is answered with DEADLOCK;
 * waiting for another stream that waits for this one is not seen, and never ends. One that was
 * accepted runs exactly once, whatever fails. */
typedef void (*trm_callback_fn)(void *user, int32_t status);
TRM_API int32_t trm_stream_callback(struct trm_stream *stream, trm_callback_fn callback, void *user);

/* Let every stream wait for what all of them have enqueued so far. All of one context. */
TRM_API int32_t trm_stream_barrier(struct trm_stream *const *streams, uint32_t count);

/* What a stream has done since it was made. Counts calls when they enqueue, however they are
 * carried out underneath. */
struct trm_stream_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t operations; /* of any kind */
    uint64_t launches;
    uint64_t copies;
    uint64_t fills;
    uint64_t callbacks;
    uint64_t waits;
    uint64_t bytes_uploaded;
    uint64_t bytes_downloaded;
    uint64_t bytes_copied; /* device to device */
    /* from or to host memory that the driver cannot reach by itself: not asynchronous on devices with memory of their own */
    uint64_t pageable_copies;
    /* waits and callbacks that blocked the caller because the backend has no better way */
    uint64_t host_waits;
};
TRM_API int32_t trm_stream_get_stats(struct trm_stream *stream, struct trm_stream_stats *stats);

TRM_API_END

#endif
