/* Sharing with programs that use a driver's own API: what interop.c and semaphore.c have in common.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_INTEROP_H
#define CORE_INTEROP_H

#include "core/device.h"
#include "core/error.h"

/* UNSUPPORTED, for the device's backend lacks `what`. */
int32_t core_interop_missing(const struct core_device *device, const char *what);

/* Errors: INVALID_ARGUMENT for a descriptor or type that cannot be. */
int32_t core_interop_check_fd(int32_t type, int32_t fd);

#endif
