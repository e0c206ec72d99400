/* Compute shaders on a Vulkan device: the independent reference. The loader is opened at run time.
 *
 * The device is the first one, or the one whose name contains what TRIREME_TEST_VULKAN_DEVICE says. With the
 * validation layer on (VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation) each of its warnings and errors makes
 * a run fail.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_VULKAN_RUNNER_H
#define TESTS_DIFFERENTIAL_VULKAN_RUNNER_H

#include "tests/differential/runner.h"

/* NULL, and the reason in words, where there is no loader, no driver or no device (or this was built without
 * vulkan/vulkan.h). Serves one thread at a time. */
struct runner *vulkan_runner_open(char *reason, size_t capacity);

#endif
