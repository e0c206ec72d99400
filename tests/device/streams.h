/* Many streams and many threads on a device: cases for the suite of any backend.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_STREAMS_H
#define TESTS_DEVICE_STREAMS_H

#include "tests/check.h"

/* Creates the group of all cases. Each opens a world of its own (tests/device/world.h) after `shape` has been
 * called (NULL: no change). The caller adds further cases, and adds the group to its suite. */
TCase *streams_cases(const char *name, SFun shape);

#endif
