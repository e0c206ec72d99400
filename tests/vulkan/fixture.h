/* What the tests of the vulkan backend share: contexts that reach Vulkan through the shim.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_FIXTURE_H
#define VULKAN_FIXTURE_H

#include "tests/device/checks.h"
#include "tests/device/kernels.h"
#include "tests/device/world.h"
#include "tests/scale.h"
#include "tests/vulkan/shim/control.h"

/* The control of the shim, and its path. */
extern const struct vulkan_shim_control *shim;
const char *shim_path(void);

/* What the shim makes of the device, until it is told otherwise: pairs of variables of shim/control.h and values, the last NULL.
 * Only while there is no context. */
void shim_shape(const char *const *variables);

/* Ready-made: the device as it is, but that its queue works by itself; a discrete device with several families of queues; one of Vulkan 1.1
 * that has next to nothing. */
void shape_as_plain(void);
void shape_as_discrete(void);
void shape_as_minimal(void);

/* A group of the suite, each test of which may take as long as the slowest driver needs. CK_DEFAULT_TIMEOUT overrules it. */
TCase *group_make(Suite *suite, const char *name);

/* Says why a test does nothing on this driver. The caller returns. */
void skip(const char *reason);

/* How many of `count` calls to go on by where each of them fails in its turn, and `run_ns` passes each time. `least`: so that all
 * that is wanted is done, where that is a matter of a minute, as on lavapipe. On a driver that takes most of a second to open a
 * device a few must do. */
uint64_t choose_stride(uint64_t count, uint64_t run_ns, uint64_t least);

/* Runs a suite as a test program does: 77 where there is no Vulkan device. */
int run_suite(Suite *suite);

#endif
