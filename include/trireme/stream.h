/* Trireme: streams, the in-order queues of a device.
 *
 * Enqueueing is cheap. Operations are collected in batches: a batch is submitted to the driver when it is
 * full, when a thread waits for it or polls it, or by trm_stream_flush().
 *
 * With the setting stream.serial (TRIREME_SERIAL=1) each copy, fill and launch has ended when its call
 * returns, and the call returns its failure. Waits, and callbacks that are enqueued inside callbacks, return
 * at once as without it; so does what is enqueued behind them until they have ended.
 *
 * When enqueued work fails, its stream fails: the first failure stays, and later calls return it. A call that
 * is refused does not fail the stream. A stream also fails with DEVICE_LOST when another device is lost whose
 * memory it accesses or whose streams it waits for; its own device then goes on, with other streams.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * stream      the stream, or for a function that finds or creates one receives it
 * Blocks      no
 * Threads     one at a time for each stream
 * Ownership   a stream keeps its device alive, and the objects that enqueued work uses
 * Errors      those of every function (<trireme/api.h>); the stream's first failure
 */
#ifndef TRIREME_STREAM_H
#define TRIREME_STREAM_H

#include <trireme/api.h>
#include <trireme/event.h>
#include <trireme/point.h>

TRM_API_BEGIN

/* The main use of a stream: a hint that selects a queue of the device (its copy engines, its compute queues).
 * Every operation is legal on every stream. A backend treats a role that it does not know as ANY. */
enum trm_stream_role {
    TRM_STREAM_ANY      = 0,
    TRM_STREAM_COMPUTE  = 1,
    TRM_STREAM_UPLOAD   = 2,
    TRM_STREAM_DOWNLOAD = 3,
    /* One of a few streams that take turns at the same short work of all kinds, as the slots of a pipeline
     * do. They may share a queue where that is faster than switching between several. */
    TRM_STREAM_SLOT = 4,
};

enum trm_priority {
    TRM_PRIORITY_LOW    = -1,
    TRM_PRIORITY_NORMAL = 0,
    TRM_PRIORITY_HIGH   = 1,
};

/* Make a stream.
 *
 * device      the device
 * role        enum trm_stream_role
 * priority    enum trm_priority; limited to this range, and rounded to what the device has
 * Threads     any
 * Ownership   the caller destroys the stream with trm_stream_destroy()
 * Errors      INVALID_ARGUMENT for an unknown role
 */
TRM_API int32_t trm_stream_create(struct trm_device *device, int32_t role, int32_t priority,
                                  struct trm_stream **stream);

/* Drain a stream and destroy it. Its callbacks have run when this returns. In one of its own callbacks, the
 * stream ends after that callback. One that stages of a pipeline prefer (<trireme/stage_stream.h>) ends with
 * the last such pipeline, and its callbacks run until then; its handle ends at once.
 *
 * Blocks      until the stream's work is done, except in one of its own callbacks and for a stream of a stage
 * Threads     any; no other thread enqueues on the stream any more
 * Errors      the last error is INVALID_ARGUMENT for a thread's own stream and for the recording stream of a
 *             graph, which stay
 */
TRM_API void trm_stream_destroy(struct trm_stream *stream);

/* Find the calling thread's own stream of a device; the first call makes it.
 *
 * device      the device
 * Threads     any; each thread gets another stream
 * Ownership   the stream belongs to the thread. It ends with the thread or the device, and
 *             trm_stream_destroy() refuses it
 * Errors      OUT_OF_HOST_MEMORY, also when the process has no key for thread-specific data left
 */
TRM_API int32_t trm_device_thread_stream(struct trm_device *device, struct trm_stream **stream);

/* Get the device of a stream.
 *
 * device      receives its handle
 * Threads     any
 * Ownership   the handle gets one more reference; the caller ends it with trm_device_destroy()
 * Errors      INVALID_HANDLE when the program has destroyed the device's handle
 */
TRM_API int32_t trm_stream_device(struct trm_stream *stream, struct trm_device **device);

/* Mark the place after everything that is enqueued. Costs about a nanosecond; where the driver tells places
 * by events, the cost of an event (0.2 µs and more).
 *
 * point       receives the place
 * Ownership   the point keeps nothing alive
 * Errors      UNSUPPORTED on a stream that records into a graph; the stream's first failure
 */
TRM_API int32_t trm_stream_mark(struct trm_stream *stream, struct trm_point *point);

/* Let later operations of a stream wait until a point is reached. They wait on the device, or, for a point of
 * another backend or where the backend cannot do it, a thread of the library lets them go on. If the point's
 * stream fails before the point, this stream fails with the same cause; this call succeeds.
 *
 * point       of any stream of the same context
 * Blocks      no; on a backend that cannot hold a stream back, until the point is reached
 * Errors      INVALID_HANDLE when the point's stream has been destroyed; OUT_OF_RANGE for a value that was
 *             never enqueued; INVALID_ARGUMENT for a stream of another context; UNSUPPORTED on a stream that
 *             records into a graph, BUSY for a point of one; DEADLOCK where the call blocks inside a host
 *             callback that the point comes after; the stream's first failure
 */
TRM_API int32_t trm_stream_wait(struct trm_stream *stream, struct trm_point point);

/* The same for the point that an event holds now. An event that was never recorded counts as reached.
 *
 * event       of the same context
 * Blocks      as trm_stream_wait()
 * Errors      as trm_stream_wait()
 */
TRM_API int32_t trm_stream_wait_event(struct trm_stream *stream, struct trm_event *event);

/* Submit what is enqueued to the driver. */
TRM_API int32_t trm_stream_flush(struct trm_stream *stream);

/* Wait until everything is done that is enqueued when the call begins.
 *
 * Blocks      yes
 * Threads     any
 * Errors      the stream's first failure; BUSY for a stream that records into a graph; DEADLOCK inside one of
 *             the stream's callbacks that this work comes after
 */
TRM_API int32_t trm_stream_sync(struct trm_stream *stream);

/* Poll the same: TRM_OK when nothing is left to do, TIMEOUT when something is. Submits it.
 *
 * Threads     any
 * Errors      TIMEOUT; the stream's first failure; BUSY for a stream that records into a graph
 */
TRM_API int32_t trm_stream_query(struct trm_stream *stream);

/* Runs on a thread of the library when the stream reaches it; later operations of the stream wait until it
 * returns. `status` is TRM_OK or the stream's failure. It may call every function of Trireme. A wait in it
 * for later work of its own stream is answered with DEADLOCK; a wait for another stream that in turn waits
 * for this one is not detected and never ends. If it forks, the child must not return from it: it calls
 * _exit() or executes a file, or is ended with a line on stderr and the exit status 1. */
typedef void (*trm_callback_fn)(void *user, int32_t status);

/* Enqueue a callback. One that is accepted (TRM_OK) runs exactly once, whatever fails; one that is refused
 * never runs.
 *
 * callback    the function
 * user        its first argument
 * Blocks      no; on a backend that cannot hold a stream back, and with stream.serial, until the callback has
 *             returned
 * Ownership   the program keeps what `user` points to until the callback has run
 * Errors      INVALID_ARGUMENT when callback is NULL; UNSUPPORTED on a stream that records into a graph;
 *             DEADLOCK where the call blocks inside a callback of the same stream; the stream's first failure
 */
TRM_API int32_t trm_stream_callback(struct trm_stream *stream, trm_callback_fn callback, void *user);

/* Let each of several streams wait for everything that is enqueued on all of them.
 *
 * streams     `count` streams of one context; none: TRM_OK
 * Blocks      as trm_stream_wait()
 * Threads     one at a time for each of the streams
 * Errors      INVALID_ARGUMENT for streams of two contexts; else as trm_stream_wait(). Some of the waits may
 *             have been enqueued then
 */
TRM_API int32_t trm_stream_barrier(struct trm_stream *const *streams, uint32_t count);

/* The operations that a stream has enqueued since it was made, counted by calls, whatever the backend makes
 * of them. */
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
    /* uploads and downloads of host memory by address, on devices with memory of their own, where they are
     * slower and may not be asynchronous */
    uint64_t pageable_copies;
    /* waits and callbacks that blocked the calling thread, on a backend that cannot hold a stream back */
    uint64_t host_waits;
};

/* Get the statistics of a stream.
 *
 * stats       the caller sets its struct_size
 * Threads     any
 * Errors      those of every function, not the stream's failure
 */
TRM_API int32_t trm_stream_get_stats(struct trm_stream *stream, struct trm_stream_stats *stats);

/* Let the statistics of a stream count from 0 again.
 *
 * Threads     any; what another thread enqueues meanwhile is counted before or after
 * Errors      those of every function, not the stream's failure
 */
TRM_API int32_t trm_stream_reset_stats(struct trm_stream *stream);

/* Name a stream, for profiles and traces (<trireme/profile.h>) and for profilers of the backend. Streams of
 * the library's pipelines, pools and coordinators have names of their own.
 *
 * name        copied, up to 31 bytes; "" for none
 * Threads     any
 * Errors      INVALID_ARGUMENT when name is NULL; not the stream's failure
 */
TRM_API int32_t trm_stream_set_name(struct trm_stream *stream, const char *name);

TRM_API_END

#endif
