/* In place of vulkan_runner.c where vulkan/vulkan.h was not found.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "tests/differential/vulkan_runner.h"

struct runner *vulkan_runner_open(char *reason, size_t capacity)
{
    snprintf(reason, capacity, "vulkan/vulkan.h was not there when this was built (Debian: libvulkan-dev)");
    return NULL;
}
