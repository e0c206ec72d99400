/* The streams that the core itself keeps on a device: one for each thread that asks, and an internal one.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_DEVICE_STREAMS_H
#define CORE_STREAM_DEVICE_STREAMS_H

#include <stdint.h>

struct core_device;
struct core_stream;

/* Ends the threads' own streams; called when the device's handle dies. */
void core_device_end_thread_streams(struct core_device *device);

/* Waits until every stream that belongs to the device is retired: a thread that ends at this moment may
 * still end its stream. */
void core_device_wait_owned_streams(struct core_device *device);

/* Locks and unlocks the internal stream, for work inside a call (initial data, staged mapping, arrays):
 * lock, enqueue, wait, unlock. The lock is not recursive. */
int32_t core_device_internal_lock(struct core_device *device, struct core_stream **stream);
void core_device_internal_unlock(struct core_device *device);

/* Ends the internal stream; called when nothing else is left of the device. */
void core_device_end_internal_stream(struct core_device *device);

#endif
