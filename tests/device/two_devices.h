/* Two devices of one context, which may be one that was opened twice: cases for the suite of any backend.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_TWO_DEVICES_H
#define TESTS_DEVICE_TWO_DEVICES_H

#include "tests/check.h"
#include <trireme/trireme.h>

/* The other device beside that of the world (tests/device/world.h), and a stream of it. */
struct second {
    struct trm_device *device;
    struct trm_stream *stream;
};
extern struct second second;

/* In the world's context; `id` as trm_device_open() has it. */
void second_open(const char *id);

/* So many bytes on a device. */
enum {
    TWO_DEVICES_BYTES = 20000
};
struct trm_buffer *buffer_on(struct trm_device *device);

/* Creates the group of all cases. Each opens a world of its own after `shape` has been called (NULL: no
 * change). `open_second` then calls second_open(). The caller adds further cases, and adds the group to its
 * suite. */
TCase *two_devices_cases(const char *name, SFun shape, SFun open_second);

#endif
