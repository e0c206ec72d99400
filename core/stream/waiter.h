/* Waiters: a thread that sleeps until one of several operations has ended, or another thread wakes it.
 *
 * Each operation notifies the waiter, which lives until the last notification, perhaps longer than the thread
 * waits.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_WAITER_H
#define CORE_STREAM_WAITER_H

#include "core/stream/stream_object.h"

struct core_waiter;

/* A waiter for `count` operations at most; the caller releases it. NULL: no memory; the last error is set. */
struct core_waiter *core_waiter_create(struct core_context *context, uint32_t count);
void core_waiter_release(struct core_waiter *waiter);

/* Also waits for `value` of a stream, or the stream's failure. The stream is entered or pinned. By the thread
 * that waits. Errors: those of core_notify(). */
int32_t core_waiter_add(struct core_waiter *waiter, struct core_stream *stream, uint64_t value);

/* Wakes the thread, also if it goes to sleep only later. Threads: any, while it keeps the waiter from being
 * released. */
void core_waiter_wake(struct core_waiter *waiter);

/* Sleeps until one of the operations has ended or the waiter was woken (true), or until a deadline
 * (false). */
bool core_waiter_sleep(struct core_waiter *waiter, uint64_t deadline);

#endif
