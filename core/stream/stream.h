/* Streams: in-order queues, the points on them, events, and callbacks in them.
 *
 *     stream.c, stream_object.h    a stream's life, enqueueing, the functions of <trireme/stream.h>
 *     stream_hold.c                streams that are held by what enqueues on them
 *     stream_name.c                names of streams
 *     stream_state.c               how far it is, its first failure, waiting for it, pins
 *     stream_wait.c                streams that wait for streams; barriers
 *     point.c, wait_any.c          waiting for points; descriptors of points, for event loops
 *     device_sync.c                waiting for a device
 *     thread_stream.c              each thread's own stream of a device
 *     observe.c                    waiting for each operation (stream.serial)
 *     profile.h                    what streams record for a profile (three files)
 *     range.c                      what a program calls its operations
 *     internal_stream.c            the core's own stream of a device, for blocking calls
 *     in_flight.c                  which streams use an object, and up to which operation
 *     deferred.c                   objects that are destroyed when the work on them has ended
 *     gates.c                      waiting, on the device, for something on the host
 *     notify.c                     notifications that a stream has reached an operation
 *     signal.c                     descriptors that become readable when several operations have ended
 *     waiter.c                     threads that sleep until one of several operations has ended
 *     service.c, callback.c        the thread that runs host callbacks; callbacks in streams
 *
 * Threads: a stream is enqueued on by one thread at a time, which its user sees to; all else may happen on
 * any thread at once. device->lock guards what a stream shows to others (lists of streams, gates,
 * notifications, timestamps); it is a leaf: neither a backend nor the program is called under it.
 * in_flight.lock comes before a stream's in_flight_lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_STREAM_H
#define CORE_STREAM_STREAM_H

#include "core/stream/deferred.h"
#include "core/stream/device_streams.h"
#include "core/stream/in_flight.h"
#include "core/stream/notify.h"
#include "core/stream/profile.h"
#include "core/stream/range.h"
#include "core/stream/service.h"
#include "core/stream/signal.h"
#include "core/stream/stream_object.h"
#include "core/stream/waiter.h"

#endif
