/* Ranges that the profilers of a backend see.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_RANGE_H
#define CORE_STREAM_RANGE_H

#include "core/stream/stream_object.h"

/* The backend's ranges, copied to `copy`, or NULL: without a profiler there are none. */
const struct trm_range_ops *core_ranges_find(const struct core_backend *backend, struct trm_range_ops *copy);

/* Is the stream profiled? */
bool core_range_is_wanted(const struct core_stream *stream);

/* A range that is a coordinator's task. Called by the thread that enqueues, push and pop in pairs: pop gets
 * the depth that push returned, and leaves it, whatever the task pushed and popped. */
uint32_t core_range_push_task(struct core_stream *stream, const char *name);
void core_range_pop_task(struct core_stream *stream, uint32_t depth);

/* Ends the ranges that are open. Called by the thread that enqueues. */
void core_range_pop_all(struct core_stream *stream);

#endif
