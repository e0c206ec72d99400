/* Finds out, without the library, whether the driver under the backend works in the child of a process that
 * has used it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_DRIVER_FORK_H
#define TESTS_DEVICE_DRIVER_FORK_H

#include <trireme/trireme.h>

struct driver {
    char name[256]; /* of the device */
    int (*attempt)(
        const char *name); /* to open it without the library; NULL: no driver is known to be in the way */
};

struct driver driver_of(struct trm_device *device);

/* Why the device cannot be used in a child of this process, as it is now: "in the child of …". NULL: it
 * can. */
const char *driver_refuses_child(const struct driver *driver);

/* What a child that tries exits with. */
enum {
    DRIVER_WORKS   = 0,
    DRIVER_REFUSES = 1,
};

/* Open a device of that name with the driver alone. */
int driver_try_vulkan(const char *name);

#endif
