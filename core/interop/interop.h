/* The interop room: objects shared with the driver's own API and with other processes.
 *
 * interop       native handles of objects, memory by file descriptors, helpers of the room
 * adopt         devices, streams and memory of the application
 * ipc           device memory by IPC handles
 * native_event  hand-over of streams, native events
 * native_image  images of the application, native handles of images
 * semaphore     shared semaphores
 *
 * The functions take no locks of their own.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_INTEROP_INTEROP_H
#define CORE_INTEROP_INTEROP_H

#include <trireme/buffer.h>

#include "base/base.h"
#include "core/device/device.h"

/* UNSUPPORTED: the backend of the device lacks `what`. */
int32_t core_interop_missing(const struct core_device *device, const char *what);

enum core_native_kind {
    CORE_NATIVE_DEVICE,
    CORE_NATIVE_STREAM,
    CORE_NATIVE_BUFFER,
    CORE_NATIVE_EVENT,
    CORE_NATIVE_IMAGE,
};

/* INVALID_ARGUMENT when `type` (enum trm_native_type) is not a type of this kind of object. */
int32_t core_interop_check_native(int32_t type, enum core_native_kind kind);

/* Creates a buffer of memory that `find` gets from the backend, outside of all pools; `find` sets the last
 * error when it fails. Checks the size and the output pointer for the public function `function`. */
int32_t core_interop_make_buffer(const char *function, struct core_device *device, uint64_t size,
                                 int32_t (*find)(void *user, struct trm_backend_memory **memory), void *user,
                                 struct trm_buffer **handle);

/* INVALID_ARGUMENT for an unknown type or a negative descriptor. */
int32_t core_interop_check_fd(int32_t type, int32_t fd);

#endif
