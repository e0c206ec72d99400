/* Trireme: points. A point is a place on a stream's timeline; every wait is a wait for a point.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * timeout_ns  nanoseconds; 0 polls, TRM_FOREVER waits without a limit
 * Blocks      yes, without spinning for more than a few microseconds. On the cpu the waiting thread runs
 *             queued work meanwhile; with a timeout only work that was short before, and when that takes
 *             longer now, so does the wait
 * Threads     any
 * Ownership   a point keeps nothing alive. A stream that is destroyed while a call waits for its point ends
 *             after that call
 * Errors      those of every function (<trireme/api.h>); INVALID_HANDLE when a point's stream has been
 *             destroyed; OUT_OF_RANGE for a value that was never enqueued; BUSY for a stream that records
 *             into a graph
 */
#ifndef TRIREME_POINT_H
#define TRIREME_POINT_H

#include <trireme/api.h>

TRM_API_BEGIN

/* Made by trm_stream_mark(). A plain value: it may be copied and is never freed. It is reached when
 * everything that was enqueued on the stream before the mark has finished. An event holds a point and stays
 * valid when the stream has been destroyed; a point alone does not. */
struct trm_point {
    struct trm_stream *stream;
    uint64_t value;
};

/* Wait until all work before `point` has finished. Submits that work first.
 *
 * Errors      TIMEOUT; the first failure of the point's stream; DEADLOCK inside a host callback of the same
 *             stream that the point comes after
 */
TRM_API int32_t trm_point_wait(struct trm_point point, uint64_t timeout_ns);

/* Poll `point`: TRM_OK when it is reached, TIMEOUT when it is not. Submits the work before it.
 *
 * Blocks      no
 * Errors      TIMEOUT; the first failure of the point's stream
 */
TRM_API int32_t trm_point_done(struct trm_point point);

/* Wait until all of several points are reached, or the first failure. Submits the work before all of them
 * first.
 *
 * points      `count` points of streams of one context; none: TRM_OK
 * Errors      TIMEOUT; the first failure of a stream; INVALID_ARGUMENT for streams of two contexts; DEADLOCK
 *             as for trm_point_wait()
 */
TRM_API int32_t trm_wait_all(const struct trm_point *points, uint32_t count, uint64_t timeout_ns);

/* Wait until any of several points is reached. A stream that has failed counts as reached: the call returns
 * its failure and writes `which`.
 *
 * points      `count` points of streams of one context, at least one
 * which       receives the lowest index of a point that is reached
 * Errors      TIMEOUT; the failure of the stream of points[*which]; INVALID_ARGUMENT for no points, or for
 *             streams of two contexts; DEADLOCK inside a host callback that all of the points come after
 */
TRM_API int32_t trm_wait_any(const struct trm_point *points, uint32_t count, uint64_t timeout_ns,
                             uint32_t *which);

/* Get a descriptor that becomes readable when `point` is reached or its stream fails, for poll(), epoll and
 * event loops. Submits the work before the point. trm_point_done() then tells which of the two it was.
 *
 * descriptor  receives an eventfd, close-on-exec and non-blocking. A read of 8 bytes resets it; it is written
 *             once
 * Blocks      no. Where the backend has no notifications of its own, a thread of the library waits for the
 *             point
 * Ownership   the program closes the descriptor, at any time, also after it has destroyed the stream. Until
 *             the point is reached the library holds a second descriptor of the same file, which keeps it in
 *             an epoll set: take it out with EPOLL_CTL_DEL before it is closed
 * Errors      BACKEND where the process or the system has no descriptors left
 */
TRM_API int32_t trm_point_fd(struct trm_point point, int32_t *descriptor);

TRM_API_END

#endif
