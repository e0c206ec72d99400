/* Sharing with programs that use a driver's own API: what interop.c, adopt.c, ipc.c, native_event.c and
 * semaphore.c have in common.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_INTEROP_INTEROP_H
#define CORE_INTEROP_INTEROP_H

#include <trireme/buffer.h>

#include "base/base.h"
#include "core/device/device.h"

/* UNSUPPORTED, for the device's backend lacks `what`. */
int32_t core_interop_missing(const struct core_device *device, const char *what);

enum core_native_kind {
    CORE_NATIVE_DEVICE,
    CORE_NATIVE_STREAM,
    CORE_NATIVE_BUFFER,
    CORE_NATIVE_EVENT,
};

/* Errors: INVALID_ARGUMENT for a type (enum trm_native_type) of another kind of object. */
int32_t core_interop_check_native(int32_t type, enum core_native_kind kind);

/* Creates a buffer of memory that `find` gets from the backend, outside of all pools; `find` sets the last
 * error when it fails. Checks the size and the output pointer for the public function `function`. */
int32_t core_interop_make_buffer(const char *function, struct core_device *device, uint64_t size,
                                 int32_t (*find)(void *user, struct trm_backend_memory **memory), void *user,
                                 struct trm_buffer **handle);

/* Errors: INVALID_ARGUMENT for a descriptor or type that cannot be. */
int32_t core_interop_check_fd(int32_t type, int32_t fd);

#endif
