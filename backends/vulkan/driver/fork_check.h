/* vulkan backend: checks whether drivers still work in the child of a process that has used them.
 *
 * After fork() some drivers work, some return errors, and some abort or hang. So the child first creates a
 * device in a process of its own, once, and remembers the outcome.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_FORK_CHECK_H
#define BACKENDS_VULKAN_DRIVER_FORK_CHECK_H

#include <stdint.h>

#include "backends/vulkan/driver/loader.h"

/* Record that this process has created a VkInstance, and so has loaded the drivers. */
void vulkan_fork_note(void);

/* Whether this process may create a VkInstance. UNSUPPORTED, with the reason (without a full stop) in
 * `reason`, if a driver that was loaded before the fork no longer works. The caller has blocked all signals.
 * Blocks until the trial has ended, at most ten seconds. */
int32_t vulkan_fork_check(const struct vulkan_loader *loader, char *reason, uint64_t capacity);

/* Text to append to a driver's error: in a forked child a hint that the fork may be the cause (on a busy
 * machine the trial can succeed where the driver later fails); else an empty string. */
const char *vulkan_fork_hint(void);

#endif
