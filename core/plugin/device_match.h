/* Finds the device of a backend that an id names.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_DEVICE_MATCH_H
#define CORE_PLUGIN_DEVICE_MATCH_H

#include "core/plugin/registry.h"
#include "core/settings/settings.h"

/* The number of the first device that matches `wanted`; `id` is its text, for error messages. Errors:
 * NOT_FOUND, with a list of the devices; the errors of the backend. */
int32_t core_device_find_number(const struct core_backend *backend, const char *id,
                                const struct core_device_id *wanted, uint32_t *number);

#endif
