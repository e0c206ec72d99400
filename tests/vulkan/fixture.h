/* Shared by the tests of the vulkan backend on devices: contexts that reach Vulkan through the shim.
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

/* Change what the shim makes of the device: pairs of variables of shim/control.h and values, ended by NULL.
 * Only while there is no context. */
void shim_shape(const char *const *variables);

/* Ready-made shapes: the device as it is, but with a queue thread of its own; a discrete device with several
 * queue families; a Vulkan 1.1 device that lacks most features. */
void shape_as_plain(void);
void shape_as_discrete(void);
void shape_as_apart(void); /* a discrete device whose images cannot be in the memory of buffers */
void shape_as_minimal(void);

/* A group of the suite, in which each test may take as long as the slowest driver needs. CK_DEFAULT_TIMEOUT
 * overrules that. */
TCase *group_make(Suite *suite, const char *name);

/* Print why a test does nothing on this driver. The caller then returns. */
void skip(const char *reason);

/* The stride between the calls to fail, of `count` calls that each fail in their turn, where one run takes
 * `run_ns`: at least `least`, and so many that the runs take three seconds; all of them under
 * TEST_THOROUGH=1. */
uint64_t choose_stride(uint64_t count, uint64_t run_ns, uint64_t least);

/* Keeps the driver loaded until the process ends. The loader unloads it with the last instance, and loading
 * it takes longer than most tests. */
void driver_stays_loaded(void);

/* Run a suite as a test program does: 77 if there is no Vulkan device. */
int run_suite(Suite *suite);

#endif
