/* Many streams and many threads on a device: cases for the suite of any backend.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_STREAMS_H
#define TESTS_DEVICE_STREAMS_H

#include <check.h>

/* All of them, each in a world of its own (tests/device/world.h) that is opened after `shape` has been
 * called; NULL: as it is. The caller adds its own, and the group to its suite. */
TCase *streams_cases(const char *name, SFun shape);

#endif
