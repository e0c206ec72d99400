/* vulkan backend: drivers in the child of a process that has used them.
 *
 * After a fork some drivers work as ever, some refuse, and some abort or hang. In such a child a process of its own tries first, once;
 * what becomes of it becomes of no program.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_FORK_CHECK_H
#define BACKENDS_VULKAN_DRIVER_FORK_CHECK_H

#include <stdint.h>

#include "backends/vulkan/driver/loader.h"

/* This process has made a VkInstance, so its drivers are loaded. */
void vulkan_fork_note(void);

/* May one be made? UNSUPPORTED with the reason, without a full stop, where a driver that was loaded before the fork works no
 * longer. All signals are to be held meanwhile. */
int32_t vulkan_fork_check(const struct vulkan_loader *loader, char *reason, uint64_t capacity);

/* What is to be said behind a driver's refusal: in such a child what it is, since the trial may have had more luck, as was seen on a
 * machine with much to do; else nothing. */
const char *vulkan_fork_hint(void);

#endif
