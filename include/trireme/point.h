/* Trireme: points, places on a stream's timeline. Everything waits on points.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_POINT_H
#define TRIREME_POINT_H

#include <trireme/api.h>

TRM_API_BEGIN

/* Made by trm_stream_mark(); a plain value, to be copied at will and never freed. It is reached
 * when everything enqueued on the stream before the mark has finished. It names its stream without
 * keeping it: when the stream has been destroyed (which drains it) its points answer
 * INVALID_HANDLE. An event keeps what it needs and stays valid. */
struct trm_point {
    struct trm_stream *stream;
    uint64_t value;
};

/* Wait until everything before `point` has finished. Enqueued work is submitted first.
 *
 * timeout_ns  nanoseconds; 0 polls, TRM_FOREVER waits for ever
 * Blocks      yes, without spinning for more than a few microseconds; the caller may run the work
 *             itself
 * Errors      TIMEOUT; the first failure of the point's stream; DEADLOCK inside a host callback
 *             of the same stream that the point comes after; OUT_OF_RANGE for a value that was never marked
 */
TRM_API int32_t trm_point_wait(struct trm_point point, uint64_t timeout_ns);

/* TRM_OK when reached, TRM_ERROR_TIMEOUT when not yet, else the first failure of the stream.
 * Submits enqueued work, never blocks. */
TRM_API int32_t trm_point_done(struct trm_point point);

/* Wait for all or any of `count` points, of any streams and devices of one context. `which` is
 * the index of the point that was reached; where several were, the lowest. A failed stream
 * counts as reached by trm_wait_any(): its failure is returned, and `which` is written. count 0:
 * wait_all answers TRM_OK, wait_any INVALID_ARGUMENT. */
TRM_API int32_t trm_wait_all(const struct trm_point *points, uint32_t count, uint64_t timeout_ns);
TRM_API int32_t trm_wait_any(const struct trm_point *points, uint32_t count, uint64_t timeout_ns,
                             uint32_t *which);

TRM_API_END

#endif
